import type { Page } from 'playwright-core';
import type { NewStore } from '../../../src/stores/store.service.ts';
import { useNewStore, useService } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { enter } from './dashboard-page.ts';

describeInBrowser('the topic editor', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useNewStore(service, { name: 'Nordlys' });
  let page: Page;

  beforeEach(async () => {
    page = await browser.newPage();
    await enter(page, service.url, store, 'topics/backinstock');
    await field('Headline').waitFor();
  });

  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const said = (text: string) => page.getByRole('status').getByText(text);
  const mail = () => page.frameLocator('iframe').locator('body');

  type OwnText = { part: string; text: string; isStandard: boolean };

  /** The store's own texts of the topic in a language. */
  async function ownTexts(language: string | null, as: NewStore = store): Promise<Record<string, string>> {
    const query =
      'query ($language: String) { topics { name texts(language: $language) { part text isStandard } } }';
    const { body } = await service.graphql(query, { language }, { store: as }).expect(200);
    const topics: { name: string; texts: OwnText[] }[] = body.data.topics;
    const { texts } = topics.find(({ name }) => name === 'backinstock')!;
    return Object.fromEntries(texts.filter((one) => !one.isStandard).map(({ part, text }) => [part, text]));
  }

  const save = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await said('Topic Back in stock saved.').first().waitFor();
    // An earlier message of saving may still be there.
    await page.getByText('All changes saved.').waitFor();
  };

  test('simple fields change the standard email, and only what was changed is stored', async () => {
    await field('Headline').fill('Hooray: {{ product.title }}');
    await field('Footer').fill('Free returns.');
    await mail().getByText('Hooray: Linen shirt').waitFor();
    await mail().getByText('Free returns.').waitFor();
    expect(await field('HTML').isVisible()).toBe(false);
    await save();
    expect(await ownTexts(null)).toEqual({
      headline: 'Hooray: {{ product.title }}',
      footer: 'Free returns.',
    });
    await eventually(() => page.getByText('Customized', { exact: true }).count(), 2);
  });

  test('a customized part goes back to the standard text, and so do all at once', async () => {
    const standard = await field('Headline').inputValue();
    await field('Headline').fill('Mine');
    await field('Button').fill('Go');
    await save();
    await page.getByRole('button', { name: 'Reset to standard: Headline' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset to standard' }).click();
    await eventually(() => field('Headline').inputValue(), standard);
    expect(await ownTexts(null)).toEqual({ button: 'Go' });
    await page.getByText('All changes saved.').waitFor();
    await page.getByRole('button', { name: 'Reset all to standard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset to standard' }).click();
    await eventually(() => page.getByText('Customized', { exact: true }).count(), 0);
    expect(await ownTexts(null)).toEqual({});
  });

  test('a language is added, previewed and saved on its own; leaving unsaved texts asks first', async () => {
    await field('Headline').fill('Mine');
    await save();
    await page.getByLabel('Add language').selectOption('de');
    await page.getByText('these shoppers get your English texts').waitFor();
    await field('Headline').fill('Meins: {{ product.title }}');
    await page.getByRole('button', { name: 'English', exact: true }).click();
    await page.getByRole('button', { name: 'Stay on this page' }).click();
    await mail().getByText('Meins: Leinenhemd').waitFor();
    await mail().getByText('Artikel ansehen').waitFor();
    await save();
    await page.getByRole('button', { name: 'English', exact: true }).click();
    await eventually(() => field('Headline').inputValue(), 'Mine');
    await page.reload();
    await page.getByRole('button', { name: 'Deutsch', exact: true }).click();
    await eventually(() => field('Headline').inputValue(), 'Meins: {{ product.title }}');
    expect([await ownTexts('en'), await ownTexts('de')]).toEqual([
      { headline: 'Mine' },
      { headline: 'Meins: {{ product.title }}' },
    ]);
  });

  test('the preview shows the dark email, whatever the device prefers', async () => {
    const ground = () =>
      mail()
        .locator('.wg-page')
        .evaluate((table) => getComputedStyle(table).backgroundColor);
    await eventually(ground, 'rgb(244, 244, 245)');
    await page.getByRole('button', { name: 'Dark', exact: true }).click();
    await eventually(async () => (await ground()) === 'rgb(244, 244, 245)', false);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Light', exact: true }).click();
    await eventually(ground, 'rgb(244, 244, 245)');
  });

  test('subject and preheader say how long they are, and what an inbox cuts', async () => {
    await field('Subject').fill('{{ product.title }}');
    await page.getByText('11 characters in the preview. Inboxes show about 60.').waitFor();
    await field('Subject').fill(`${'x'.repeat(60)} gone`);
    await page
      .getByText('65 characters in the preview. Inboxes show about 60 and cut off “ gone”.')
      .waitFor();
    await field('Preheader').fill('y'.repeat(91));
    await page.getByText('Inboxes show about 90 and cut off “y”.').waitFor();
  });

  test('a mistake in the HTML opens the section that has it; own HTML says that fields may not show', async () => {
    await page.getByText('Advanced: HTML').click();
    await field('HTML').fill('<p>{% if product.title %}never closed</p>');
    await page.getByText('Advanced: HTML').click();
    await eventually(() => field('HTML').isVisible(), false);
    await page.getByText('You’ve customized the HTML.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(() => field('HTML').isVisible(), true);
    expect(await ownTexts(null)).toEqual({});
  });
});
