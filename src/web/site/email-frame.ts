/** Shows the whole email. The frame runs no scripts; it has the page's origin only so that its height can follow the email's. */
export function fillFrame(frame: HTMLIFrameElement, html: string): void {
  const email = new DOMParser().parseFromString(html, 'text/html');
  for (const link of email.links) link.target = '_blank';
  // The page's policy blocks pictures of other origins.
  for (const image of email.images) image.src = new URL(image.src, location.href).pathname;
  frame.setAttribute('sandbox', 'allow-same-origin allow-popups allow-popups-to-escape-sandbox');
  frame.height = '400';
  frame.onload = () => {
    const { body } = frame.contentDocument!;
    new ResizeObserver(() => (frame.height = String(body.scrollHeight))).observe(body);
  };
  frame.srcdoc = `<!doctype html>${email.documentElement.outerHTML}`;
}
