/** Styles are for the bundler; importing them gives nothing. */
declare module '*.css';
