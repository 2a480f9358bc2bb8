/** Whether an address is this service's own; the dashboard loads nothing from anybody else. */
export function isOwn(url: string): boolean {
  return URL.canParse(url, location.href) && new URL(url, location.href).origin === location.origin;
}
