import { PARTS, PART_NAMES, partsOf } from '../../../src/alerts/send/channels.ts';
import { alertModel, footerTexts } from '../../../src/alerts/compose/model.rules.ts';
import type { JobEnd, RenderProcess } from '../../../src/alerts/compose/template.child.ts';
import { runJob } from '../../../src/alerts/compose/template.job.ts';
import type { JoinJob, RenderResult, RenderJob } from '../../../src/alerts/compose/template.job.ts';
import {
  TemplateError,
  RENDER_BUDGET_MS,
  createTemplates,
} from '../../../src/alerts/compose/template.pool.ts';
import { standardTexts } from '../../../src/alerts/topics/topic.rules.ts';
import { createLogger } from '../../../src/platform/log.ts';

const store = { name: 'Shop', postalAddress: null, imprintUrl: null } as Parameters<typeof alertModel>[0];
const product = { dt: 'Shirt' } as Parameters<typeof alertModel>[4];
const model = alertModel(
  store,
  { language: 'en', locale: 'en' },
  'backinstock',
  '1',
  product,
  'https://alerts.example/u/token',
);
const footer = footerTexts(store, 'en', 'footer.why.product');
const texts = {
  ...standardTexts('backinstock', 'en'),
  subject: 'News',
  html: '<p>{{ product.title }}</p>',
  text: 'News',
};
const request = { pid: 'p', texts, parts: partsOf('email'), model, footer };

/** Processes of which one after the other does what the list says, and those after that render. */
function processes(ends: JobEnd[]) {
  let started = 0;
  const start = (): RenderProcess => {
    const end = ends[started];
    let isAlive = true;
    started += 1;
    return {
      isAlive: () => isAlive,
      run: async (job: RenderJob | JoinJob) => end ?? { result: runJob(job), tookMs: 1 },
      end: () => void (isAlive = false),
    };
  };
  return { start, started: () => started };
}

const KILLED: JobEnd = { part: 'html' };
const STALLED: JobEnd = { result: null, tookMs: 1 };
const templatesOf = ({ start }: ReturnType<typeof processes>) =>
  createTemplates(createLogger('silent'), start);

test.each([
  ['was killed, because it gave no sign of life', KILLED],
  ['says that the machine stood still', STALLED],
])('an alert whose process %s is rendered by the next one', async (_how, end) => {
  const fakes = processes([end]);
  const { alerts } = templatesOf(fakes);
  const all = await Promise.all([alerts.render(request), alerts.render(request)]);
  for (const { html } of all) expect(html).toContain('<p>Shirt</p>');
  expect(fakes.started()).toBe(2);
});

test('a template that ends a second process is to blame, and is refused then', async () => {
  const fakes = processes([KILLED, KILLED]);
  const { alerts } = templatesOf(fakes);
  for (let look = 0; look < 2; look += 1)
    await expect(alerts.render(request)).rejects.toMatchObject({ constructor: TemplateError, isFatal: true });
  expect(fakes.started()).toBe(2);
});

test('a machine that stands still again and again is no reason to blame a template', async () => {
  const { alerts } = templatesOf(processes([STALLED, STALLED, STALLED]));
  await expect(alerts.render(request)).rejects.toMatchObject({ type: 'unavailable' });
  expect((await alerts.render(request)).html).toContain('<p>Shirt</p>');
});

test('a request whose template ends its process fails without a second one', async () => {
  const fakes = processes([KILLED]);
  const { trials } = templatesOf(fakes);
  const trial = trials.render({ ...request, budget: { leftMs: RENDER_BUDGET_MS } });
  await expect(trial).rejects.toMatchObject({ isFatal: true });
  expect(fakes.started()).toBe(1);
});

describe('a message that is interrupted', () => {
  const forms = Object.fromEntries(PART_NAMES.map((part) => [part, PARTS[part].form])) as RenderJob['forms'];
  const html = `<p>{% for i in (1..1200) %}<b id={{ i }}>{% endfor %}${'<p>x'.repeat(8_000)}`;
  const job: RenderJob = { texts: { html }, parts: ['html'], forms, model, footer, isKept: false };
  const now = performance.now.bind(performance);
  afterEach(() => void (performance.now = now));

  const renderWith = (clock: () => number): RenderResult | null => {
    performance.now = clock;
    return runJob(job);
  };

  test('is to blame where it had its share of a processor', () => {
    const start = now();
    // It is told of no time until shortly before the end, or the library would stop by itself on a slow machine.
    const clock = (): number => (now() - start < 900 ? 0 : 10_000);
    expect(renderWith(clock)).toEqual({ part: 'html', reason: 'it takes too long', isStuck: true });
  });

  test('is not to blame where the processor did something else all the time', () => {
    expect(renderWith(() => 0)).toBeNull();
  });
});
