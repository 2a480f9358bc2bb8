import type { Config } from '../../config.ts';
import { pictureSchemes } from '../../platform/pictures.ts';
import type { Page } from './page.ts';

/** The merchant dashboard: one empty element that its script fills, after the merchant has signed in. */
export function dashboardPage({ publicUrl }: Pick<Config, 'publicUrl'>): Page {
  const pictures = pictureSchemes(publicUrl);
  return {
    bundle: 'dashboard',
    title: 'Merchant dashboard · wishgate',
    description: 'Figures, alerts, templates, settings and shoppers of a store.',
    body: '<div id="app"></div>\n<noscript>The dashboard needs JavaScript.</noscript>',
    data: { pictures },
    // The preview of a mail is a frame without scripts that inherits this policy, and mails carry their styles inline. Styles
    // cannot reach out: fonts and connections stay with the service. Pictures are those of products and the logo.
    csp: { 'style-src': "'self' 'unsafe-inline'", 'img-src': `'self' data: ${pictures.join(' ')}` },
  };
}
