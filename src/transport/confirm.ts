import type { Application, Request, Response } from 'express';
import type { Services } from '../context.ts';
import { confirmSubscriptions, previewConfirmation } from '../domain/subscription/confirm.service.ts';
import type { Confirmation } from '../domain/subscription/confirm.service.ts';
import { nameRoute } from './access-log.ts';
import { escapeHtml, securePage } from './pages/page.ts';

const ROUTE = '/confirm/:token';
const STYLE =
  'body{font-family:system-ui,sans-serif;line-height:1.5;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.6rem 1.2rem}';

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${content}</main></body>
</html>`;
}

function send(res: Response, status: number, html: string): void {
  securePage(res, { 'style-src': "'unsafe-inline'" });
  res.status(status).type('html').send(html);
}

const GONE = page(
  'This link does not work any more',
  '<p>It is incomplete or too old. Please ask for the alert again.</p>',
);

function question({ storeName, contact, pending }: Confirmation): string {
  if (pending === 0)
    return page('All confirmed', `<p>There is nothing left to confirm for ${escapeHtml(contact)}.</p>`);
  const what = `${escapeHtml(storeName)} will send product alerts to ${escapeHtml(contact)}.`;
  return page(
    'Confirm your alerts',
    `<p>${what}</p><form method="post"><button type="submit">Confirm</button></form>`,
  );
}

function thanks({ storeName, contact }: Confirmation): string {
  return page(
    'Thank you',
    `<p>${escapeHtml(storeName)} will send the alerts you asked for to ${escapeHtml(contact)}.</p>`,
  );
}

/** Serves the page of confirmation links. Only its button confirms: mail scanners follow links, they press nothing. */
export function serveConfirm(app: Application, services: Services): void {
  const token = (req: Request, res: Response): string => {
    nameRoute(res, ROUTE);
    return String(req.params['token']);
  };
  app.get(ROUTE, async (req, res) => {
    const confirmation = await previewConfirmation(services, token(req, res));
    send(res, confirmation ? 200 : 404, confirmation ? question(confirmation) : GONE);
  });
  app.post(ROUTE, async (req, res) => {
    const confirmation = await confirmSubscriptions(services, token(req, res));
    send(res, confirmation ? 200 : 404, confirmation ? thanks(confirmation) : GONE);
  });
}
