import type { Request } from 'express';
import type { Services } from '../../context.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { ensureDemoVisitor } from '../../web/demo-store/visitor.ts';
import { isOwnMachine, ownAddress } from '../loopback.ts';
import { tabsFor } from './graphiql-tabs.ts';
import type { Shown } from './graphiql-tabs.ts';
import { createPage } from './page.ts';
import { siteBar } from './site-bar.ts';

/** What of the demo store this request is shown; null on every machine but one's own, and where its guest cannot be made just now. */
export async function shownOfDemo(
  req: Request,
  { config, log }: Services,
  demo: DemoStore | null,
): Promise<Shown | null> {
  if (demo === null || !isOwnMachine(req, config)) return null;
  try {
    return { demo, visitor: await ensureDemoVisitor(ownAddress(req), demo) };
  } catch (error) {
    // A demo store that is closed for maintenance, or whose key was revoked, takes no page with it.
    log.warn({ err: error }, 'the visitor of the demo store could not be made');
    return null;
  }
}

/** Serves GraphiQL: a small page whose scripts and styles are files of the build, kept by the browser until they change. */
export function createGraphiqlPage(services: Services, demo: DemoStore | null) {
  return createPage('/graphiql', async (req) => {
    const shown = await shownOfDemo(req, services, demo);
    return {
      bundle: 'graphiql',
      title: 'GraphiQL · wishgate',
      description: 'The GraphQL of wishgate to try, with the schema’s own manual.',
      body: `${siteBar('/graphiql')}
<main><h1 class="visually-hidden">GraphiQL</h1><div id="app"><p class="wait">GraphiQL is on its way …</p></div></main>
<noscript>GraphiQL needs JavaScript.</noscript>`,
      data: {
        tabs: tabsFor(shown, services.config.trustedDocuments !== null),
        // What a browser tab keeps belongs to this store: another one starts with tabs of its own.
        keptFor: shown?.demo.pid ?? '',
      },
      // Its menus make style elements.
      csp: { 'style-src': "'self' 'unsafe-inline'" },
      isSecret: shown !== null,
    };
  });
}
