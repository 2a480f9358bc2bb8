import type { Services } from '../../context.ts';
import { escapeHtml } from '../../platform/text.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { isOwnMachine, shownAddress } from '../loopback.ts';
import { textOfPage } from './assets.ts';
import { createPage } from './page.ts';

const FILES = `<p class="files">Files: <a href="/client/wishgate.js">wishgate.js</a> <a href="/client/wishgate.mjs">wishgate.mjs</a>
<a href="/client/wishgate.d.mts">wishgate.d.mts</a> <a href="/client/compat.js">compat.js</a></p>`;

/** Serves docs/client.md with the address of this service in its examples. */
export function createClientPage({ config }: Services, demo: DemoStore | null) {
  return createPage('/client', async (req) => {
    const manual = await textOfPage('client.html');
    const pid = demo !== null && isOwnMachine(req, config) ? demo.pid : 'YOUR_PID';
    return {
      bundle: 'client',
      title: 'Browser library · wishgate',
      description: 'One script for a storefront: lists, save for later and alerts.',
      hasBar: true,
      body: `<main>${manual
        .replaceAll('http://127.0.0.1:4000', escapeHtml(shownAddress(req, config)))
        .replaceAll('YOUR_PID', escapeHtml(pid))
        .replace('</h1>', `</h1>${FILES}`)}</main>`,
      isSecret: pid !== 'YOUR_PID',
    };
  });
}
