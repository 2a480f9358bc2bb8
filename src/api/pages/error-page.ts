import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Services } from '../../context.ts';
import type { AppError } from '../../platform/errors.ts';
import { escapeHtml } from '../../platform/text.ts';
import { securePage } from './page.ts';
import { STYLE, languageFor, notePage, sendTokenPage } from './token-page.ts';

/** Paths of APIs: their errors are JSON, whatever the caller accepts. */
const APIS = /^\/(api|storeadmin|graphql|webhooks)(\/|$)/;

/** Pages that shoppers open from messages: their errors speak the shopper's language and name no developer's page. */
const HOSTED = /^\/(confirm|c|unsubscribe|u|preferences|go|shared)(\/|$)/;

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

export function wantsPage(req: Request): boolean {
  return (
    (/^(GET|HEAD)$/.test(req.method) || HOSTED.test(req.path)) &&
    !APIS.test(req.path) &&
    req.accepts(['application/json', 'text/html']) === 'text/html'
  );
}

export function sendErrorPage(
  services: Services,
  req: Request,
  res: Response,
  { status, message }: AppError,
): void {
  if (HOSTED.test(req.path)) {
    const view = { store: null, language: languageFor(req, null) };
    const note = notePage(services, view, status === 404 ? 'page.broken' : 'page.failed');
    return sendTokenPage(res, note, status);
  }
  const title = status === 404 ? 'Not found' : 'Something went wrong';
  const text =
    status === 404 ? 'This page does not exist. Check the URL, or go to one of these pages.' : message;
  securePage(res, { 'script-src': "'none'", 'style-src': STYLE_HASH });
  res.setHeader('X-Robots-Tag', 'noindex');
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.statusCode = status;
  res.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · wishgate</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="quiet">${status}</p>
<h1>${title}</h1>
<p>${escapeHtml(text)}</p>
<nav class="aside" aria-label="Pages"><a href="/">Home</a> · ${services.config.demo ? '<a href="/demo">Demo shop</a> · ' : ''}<a href="/docs">API reference</a> · <a href="/graphiql">GraphiQL</a> · <a href="/dashboard">Dashboard</a></nav>
</main>
</body>
</html>
`);
}
