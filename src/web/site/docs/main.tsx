import { render } from 'preact';
import { App } from './app.tsx';
import type { Data } from './app.tsx';
import type { Document } from './model.ts';
import './docs.css';

const root = document.querySelector('#app')!;

async function start(): Promise<void> {
  const data = JSON.parse(document.querySelector('#data')!.textContent) as Data;
  const response = await fetch('/docs/openapi.json');
  if (!response.ok) throw new Error(`openapi.json answered ${response.status}`);
  const reference = (await response.json()) as Document;
  root.textContent = '';
  render(<App reference={reference} data={data} />, root);
}

start().catch((error: unknown) => {
  root.textContent = `The reference could not be loaded (${String(error)}). Load the page again.`;
});
