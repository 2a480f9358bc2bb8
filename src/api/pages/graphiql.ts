import type { Request } from 'express';
import type { Services } from '../../context.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { ensureDemoVisitor } from '../../web/demo-store/visitor.ts';
import { isOwnMachine, ownAddress } from '../loopback.ts';
import { tabsFor } from './graphiql-tabs.ts';
import type { Shown } from './graphiql-tabs.ts';
import { createPage } from './page.ts';

/** The demo store with its visitor; null for requests from other machines, and where the visitor cannot be made. */
export async function shownOfDemo(
  req: Request,
  { config, log }: Services,
  demo: DemoStore | null,
): Promise<Shown | null> {
  if (demo === null || !isOwnMachine(req, config)) return null;
  try {
    return { demo, visitor: await ensureDemoVisitor(ownAddress(req), demo) };
  } catch (error) {
    // The page works also while the demo store is closed for maintenance, or its key is revoked.
    log.warn({ err: error }, 'the visitor of the demo store could not be made');
    return null;
  }
}

export function createGraphiqlPage(services: Services, demo: DemoStore | null) {
  return createPage('/graphiql', async (req) => {
    const shown = await shownOfDemo(req, services, demo);
    return {
      bundle: 'graphiql',
      title: 'GraphiQL · wishgate',
      description: 'The GraphQL of wishgate to try, with the schema’s own manual.',
      hasBar: true,
      body: `<main><h1 class="visually-hidden">GraphiQL</h1><div id="app"><p class="wait">GraphiQL is on its way …</p></div></main>
<noscript>GraphiQL needs JavaScript.</noscript>`,
      data: {
        tabs: tabsFor(shown, services.config.trustedDocuments !== null),
        // Stored tabs belong to this store: another one starts with its own.
        keptFor: shown?.demo.pid ?? '',
      },
      // GraphiQL's menus insert style elements.
      csp: { 'style-src': "'self' 'unsafe-inline'" },
      isSecret: shown !== null,
    };
  });
}
