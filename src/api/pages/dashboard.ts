import type { Config } from '../../config.ts';
import { pictureSchemes } from '../../platform/pictures.ts';
import type { HtmlPage } from './page.ts';

export function dashboardPage({ publicUrl }: Pick<Config, 'publicUrl'>): HtmlPage {
  const pictures = pictureSchemes(publicUrl);
  return {
    bundle: 'dashboard',
    title: 'Merchant dashboard · wishgate',
    description: 'Figures, alerts, templates, settings and shoppers of a store.',
    body: '<div id="app"></div>\n<noscript>The dashboard needs JavaScript.</noscript>',
    data: { pictures },
    // The preview of an email is a frame without scripts that inherits this policy, and emails have inline styles. Pictures are those
    // of products and the logo.
    csp: { 'style-src': "'self' 'unsafe-inline'", 'img-src': `'self' data: ${pictures.join(' ')}` },
  };
}
