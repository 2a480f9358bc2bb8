import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AppError } from '../../platform/errors.ts';
import { escapeHtml } from '../../platform/text.ts';
import { securePage } from './page.ts';
import { STYLE } from './token-page.ts';

/** Paths of APIs: their errors are JSON, whatever the caller accepts. */
const APIS = /^\/(api|storeadmin|graphql|webhooks)(\/|$)/;

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

export function wantsPage(req: Request): boolean {
  return (
    /^(GET|HEAD)$/.test(req.method) &&
    !APIS.test(req.path) &&
    req.accepts(['application/json', 'text/html']) === 'text/html'
  );
}

export function sendNotFoundPage(res: Response, { status, message }: AppError): void {
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
<nav class="aside" aria-label="Pages"><a href="/">Home</a> · <a href="/docs">API reference</a> · <a href="/graphiql">GraphiQL</a> · <a href="/dashboard">Dashboard</a></nav>
</main>
</body>
</html>
`);
}
