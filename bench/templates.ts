// What it costs to render alerts in a process of their own instead of in the serving thread: time and the serving thread's own work for
// each message, with as many under way as the mail lane has, and how long the thread stands still.
//   npx tsx bench/templates.ts [messages]
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { footerTexts } from '../src/alerts/compose/model.rules.ts';
import { createTemplates } from '../src/alerts/compose/template.pool.ts';
import { runJob } from '../src/alerts/compose/template.job.ts';
import type { RenderJob } from '../src/alerts/compose/template.job.ts';
import { SAMPLE_MODEL } from '../src/alerts/compose/template.rules.ts';
import { PARTS, partsOf } from '../src/alerts/send/channels.ts';
import { standardTexts } from '../src/alerts/topics/topic.rules.ts';
import { createLogger } from '../src/platform/log.ts';

const [messages = 20_000] = process.argv.slice(2).map(Number);
const UNDER_WAY = 10;
const texts = standardTexts('backinstock', 'en');
const parts = partsOf('email');
const footer = footerTexts(
  { name: 'Bench', postalAddress: null, imprintUrl: null },
  'en',
  'footer.why.product',
);
const forms = Object.fromEntries(
  Object.entries(PARTS).map(([name, { form }]) => [name, form]),
) as RenderJob['forms'];
const templates = createTemplates(createLogger('warn'));

// Each has a product of its own, because what differs in the link alone is rendered once.
const modelOf = (n: number) => ({
  ...SAMPLE_MODEL,
  product: { ...SAMPLE_MODEL.product, title: `Linen shirt ${n}` },
  unsubscribe_url: `https://alerts.example/unsubscribe/${n}`,
});
const ways: Record<string, (n: number) => Promise<unknown>> = {
  'serving thread': async (n) => {
    runJob({ texts, parts, forms, model: modelOf(n), footer, isKept: true });
    await new Promise(setImmediate);
  },
  'own process': (n) => templates.alerts.render({ pid: 'bench', texts, parts, model: modelOf(n), footer }),
};

async function measure(render: (n: number) => Promise<unknown>, count: number) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  const start = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await render(next++);
  };
  await Promise.all(Array.from({ length: UNDER_WAY }, lane));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: Math.round(count / seconds),
    msEach: Math.round((seconds * 1e6) / count) / 1000,
    servingCpuMsEach: Math.round((user + system) / count) / 1000,
    loopDelayP99Ms: Math.round(delay.percentile(99) / 1e4) / 100,
  };
}

const results: Record<string, object> = {};
for (const render of Object.values(ways)) await measure(render, 1_000);
for (const round of [1, 2]) {
  for (const [name, render] of Object.entries(ways))
    results[`${name} ${round}`] = await measure(render, messages);
}
console.table(results);
templates.close();
