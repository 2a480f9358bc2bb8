import type { Page } from 'playwright-core';
import { filledBy, useService } from '../../harness.ts';
import { choose, click, fill, press } from './act.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { enter, holdAnswers } from './dashboard-page.ts';
import { seedStore } from './dashboard-seed.ts';

const WHITE = 'rgb(244, 244, 245)';

describeInBrowser('the topic editor', () => {
  const browser = useBrowser();
  const service = useService();
  const store = filledBy(beforeEach, () => seedStore(service));
  let page: Page;

  beforeEach(async () => {
    page = await browser.newPage();
    await enter(page, service.url, store, 'topics/backinstock');
  });

  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const mail = () => page.frameLocator('iframe').locator('body');

  /** The store's own texts of the topic in a language. */
  async function ownTexts(tag: 'en' | 'de'): Promise<Record<string, string>> {
    const query = `{ topics { name texts(language: "${tag}") { part text isStandard } } }`;
    const { body } = await service.graphql(query, {}, { store }).expect(200);
    const topics: { name: string; texts: { part: string; text: string; isStandard: boolean }[] }[] =
      body.data.topics;
    const { texts } = topics.find(({ name }) => name === 'backinstock')!;
    return Object.fromEntries(texts.filter((one) => !one.isStandard).map(({ part, text }) => [part, text]));
  }

  async function save(): Promise<void> {
    await page.getByText('You have unsaved changes.').waitFor();
    await click(button('Save'));
    await page.getByText('All changes saved.').waitFor();
  }

  test('simple fields change the standard email, only what was changed is stored, and each part or all go back to the standard text', async () => {
    const customized = () => page.getByText('Customized', { exact: true }).count();
    const standard = await field('Headline').inputValue();
    await fill(field('Headline'), 'Hooray: {{ product.title }}');
    await fill(field('Button'), 'Go');
    await mail().getByText('Hooray: Linen shirt').waitFor();
    await mail().getByText('Go', { exact: true }).waitFor();
    expect(await field('HTML').isVisible()).toBe(false);
    await save();
    expect(await ownTexts('en')).toEqual({ headline: 'Hooray: {{ product.title }}', button: 'Go' });
    await eventually(customized, 2);

    await click(button('Reset to standard: Headline'));
    await click(page.getByRole('dialog').getByRole('button', { name: 'Reset to standard' }));
    await eventually(async () => [await field('Headline').inputValue(), await customized()], [standard, 1]);
    expect(await ownTexts('en')).toEqual({ button: 'Go' });
    await click(button('Reset all to standard'));
    await click(page.getByRole('dialog').getByRole('button', { name: 'Reset to standard' }));
    await eventually(customized, 0);
    expect(await ownTexts('en')).toEqual({});
  });

  test('a language is added, previewed and saved on its own; leaving unsaved texts asks first', async () => {
    await fill(field('Headline'), 'Mine');
    await save();
    await choose(page.getByLabel('Add language'), 'de');
    await page.getByText('these shoppers get your English texts').waitFor();
    await fill(field('Headline'), 'Meins: {{ product.title }}');
    await click(button('English'));
    await click(button('Stay on this page'));
    await mail().getByText('Meins: Leinenhemd').waitFor();
    await mail().getByText('Artikel ansehen').waitFor();
    await save();
    await click(button('English'));
    await eventually(() => field('Headline').inputValue(), 'Mine');
    await page.reload();
    await click(button('Deutsch'));
    await eventually(() => field('Headline').inputValue(), 'Meins: {{ product.title }}');
    expect([await ownTexts('en'), await ownTexts('de')]).toEqual([
      { headline: 'Mine' },
      { headline: 'Meins: {{ product.title }}' },
    ]);
  });

  test('a template shows its preview while it is written, mistakes are named at the HTML even where it is folded away, and only a sound one is saved', async () => {
    const html = field('HTML');
    await click(page.getByText('Advanced: HTML'));
    await fill(
      html,
      '<h1 style="color: rgb(1, 2, 3)">Again: {{ product.title }}</h1><script>parent.document.title = "broken"</script>',
    );
    const title = mail().getByRole('heading', { name: 'Again: ' });
    await eventually(() => title.evaluate((head) => getComputedStyle(head).color), 'rgb(1, 2, 3)');
    expect(await page.title()).toBe('Topics · wishgate');
    await page.getByText('You’ve customized the HTML.').waitFor();

    // Folded before the mistake is known: it opens the section again.
    const previews = await holdAnswers(page, 'PreviewTopic');
    await fill(html, '<h1>{% if product.title %}never closed</h1>');
    await click(page.getByText('Advanced: HTML'));
    await eventually(async () => [await html.isVisible(), (await previews.count()) > 0], [false, true]);
    await previews.answer();
    await page.getByText(/^Error in line 1: .*not closed$/).waitFor();
    expect(await html.getAttribute('aria-invalid')).toBe('true');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await click(button('Save'));
    await page.getByRole('alert').getByText('Please check the highlighted field.').waitFor();
    expect(await ownTexts('en')).toEqual({});

    await fill(html, '<p>Back: {{ product.titel }}</p>');
    await page.getByText('Unknown variable product.titel').waitFor();
    await fill(html, '<p>Back: </p>');
    await html.evaluate((area) => (area as HTMLTextAreaElement).setSelectionRange(9, 9));
    await click(page.getByText('Insert variable into HTML'));
    await click(button('product.title Product title: Linen shirt'));
    await eventually(() => html.inputValue(), '<p>Back: {{ product.title }}</p>');
    const product = page.getByLabel('Preview with one of your products');
    await fill(product, 'walnut');
    await page.getByRole('option', { name: 'Walnut desk lamp' }).waitFor();
    await press(product, 'Enter');
    await mail().getByText('Back: Walnut desk lamp').waitFor();

    await fill(field('SMS'), '{{ product.title }} is back ✓');
    await page.getByLabel('Preview: SMS').getByText('is back ✓').waitFor();
    await page.getByText(/characters?, \d segments?\. A character outside/).waitFor();
    await fill(field('SMS'), '{{ product.title }}');
    await page.getByText(/\d+ characters, 1 segment$/).waitFor();
    await fill(field('Subject'), `${'x'.repeat(60)} gone`);
    await page
      .getByText('65 characters in the preview. Inboxes show about 60 and cut off “ gone”.')
      .waitFor();
    await fill(field('Preheader'), '{{ product.title }}');
    await page.getByText('16 characters in the preview. Inboxes show about 90.').waitFor();
    await save();
    expect(await ownTexts('en')).toEqual({
      subject: `${'x'.repeat(60)} gone`,
      preheader: '{{ product.title }}',
      html: '<p>Back: {{ product.title }}</p>',
      sms: '{{ product.title }}',
    });
  });

  test('the preview shows the email on a phone and in the dark, whatever the device prefers', async () => {
    const ground = (scheme: string) => async () => {
      const table = page.frameLocator(`iframe.is-${scheme}`).locator('table.wg-page');
      return table.evaluate((element) => getComputedStyle(element).backgroundColor);
    };
    const frame = page.getByTitle('Preview of the email');
    const width = () => frame.evaluate((element) => (element as HTMLElement).offsetWidth);
    await eventually(ground('light'), WHITE);
    await eventually(width, 720);
    await click(button('Phone'));
    await click(button('Dark'));
    await eventually(width, 375);
    await eventually(ground('dark'), expect.not.stringContaining(WHITE));
    await page.emulateMedia({ colorScheme: 'dark' });
    await click(button('Light'));
    await eventually(ground('light'), WHITE);
  });
});
