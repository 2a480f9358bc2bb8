export const PICTURE = '';
