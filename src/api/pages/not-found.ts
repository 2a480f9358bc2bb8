import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AppError } from '../../platform/errors.ts';
import { escapeHtml } from '../../platform/text.ts';
import { securePage } from './page.ts';

/** Paths of APIs: their errors are JSON, whatever the caller accepts. */
const APIS = /^\/(api|storeadmin|graphql|webhooks)(\/|$)/;

/** Inline, so that the page also works where nothing was built. */
const STYLE = `:root{color-scheme:light dark;--ground:#faf8f5;--ink:#221d24;--soft:#655d68;--accent:#b3305f}
@media(prefers-color-scheme:dark){:root{--ground:#17141a;--ink:#f2edf3;--soft:#b3a9b8;--accent:#ff8db3}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--ink);font:16px/1.55 ui-sans-serif,system-ui,sans-serif}
main{max-width:34rem;padding:2rem 1.25rem;text-align:center;overflow-wrap:anywhere}
h1{margin:.5rem 0;font-size:clamp(1.6rem,6vw,2.4rem);line-height:1.2}
p{margin:.5rem 0;color:var(--soft)}
nav{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;justify-content:center;margin-top:1.5rem}
a{color:var(--accent)}
a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`;
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

export function wantsPage(req: Request): boolean {
  return (
    /^(GET|HEAD)$/.test(req.method) &&
    !APIS.test(req.path) &&
    req.accepts(['application/json', 'text/html']) === 'text/html'
  );
}

export function sendNotFoundPage(res: Response, { status, message }: AppError, hasDemo: boolean): void {
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
<p>${status}</p>
<h1>${title}</h1>
<p>${escapeHtml(text)}</p>
<nav aria-label="Pages"><a href="/">Home</a>${hasDemo ? '<a href="/demo">Demo shop</a>' : ''}<a href="/docs">API reference</a><a href="/graphiql">GraphiQL</a><a href="/dashboard">Dashboard</a></nav>
</main>
</body>
</html>
`);
}
