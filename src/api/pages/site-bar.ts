const LINKS = [
  ['/docs', 'API reference'],
  ['/graphiql', 'GraphiQL'],
  ['/client', 'Browser library'],
] as const;

/** The bar above a page of the site; `current` is the page's own path. */
export function siteBar(current: string): string {
  const links = LINKS.map(
    ([href, name]) => `<a href="${href}"${href === current ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  return `<header class="bar">
  <a class="brand" href="/">wishgate</a>
  <nav aria-label="Pages">${links.join('')}</nav>
</header>`;
}
