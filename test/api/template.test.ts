import { fc } from '../chance.ts';
import { parse } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { footerTexts } from '../../src/alerts/compose/model.rules.ts';
import { SAMPLE_MODEL } from '../../src/alerts/compose/template.rules.ts';
import { setStock } from '../alerts/kit.ts';
import { useNewStore, useService } from '../harness.ts';
import { times } from '../tier.ts';

const service = useService({ publicUrl: 'https://alerts.example' });
const store = useNewStore(service, { name: 'Test & Co' });

const PREVIEW = `query ($epi: VariantId, $subject: String, $html: String, $text: String, $sms: String) {
  previewTopic(topic: "backinstock", epi: $epi, subject: $subject, html: $html, text: $text, sms: $sms) { subject html text sms }
}`;
const preview = (variables: object, as = store) => service.graphql(PREVIEW, variables, { store: as });
const save = (input: object, as = store) =>
  service.graphql(
    'mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { name } }',
    { input },
    { store: as },
  );
type Answer = { data: unknown; errors?: { message: string; extensions: { type: string } }[] };
const failure = ({ errors }: Answer) => [errors?.[0]?.extensions.type, errors?.[0]?.message];

/** Markup whose reading takes seconds: each paragraph opens all the open elements anew. */
const ENDLESS_HTML = `<p>${Array.from({ length: 1_500 }, (_, index) => `<b id=${index}>`).join('')}${'<p>x'.repeat(7_000)}`;

/** Reads nothing and writes nothing; beyond some thousand rounds it takes more time than a message has. */
const slow = (rounds: number) =>
  `{% for i in (1..${rounds}) %}{% if 1 > 2${' or 1 > 2'.repeat(30)} %}x{% endif %}{% endfor %}`;

test.each([
  ['beyond all safe numbers', '{% for i in (9007199254740992..9007199254740994) %}{% endfor %}'],
  ['below them', '{% for i in (-9007199254740994..-9007199254740992) %}{% endfor %}'],
  [
    'in a branch that is not taken',
    '{% if false %}{% for i in (1..9007199254740994) %}{% endfor %}{% endif %}',
  ],
  [
    'that a filter made',
    '{% assign x = product.price | times: 1000000000000000 | ceil %}{% for i in (x..x) %}{% endfor %}',
  ],
  ['of a table', '{% assign x = 9007199254740992 %}{% tablerow i in (x..x) %}{% endtablerow %}'],
  ['outside of a loop', '{% assign x = 9007199254740992 %}{% assign list = (x..x) %}'],
  ['that are no whole numbers', '{% for i in (1..product.price) %}{% endfor %}'],
])('a range with bounds %s is refused, and the service goes on', async (_what, html) => {
  const { body } = await preview({ html });
  expect(failure(body)).toEqual([
    'invalid-request',
    expect.stringMatching(/^html is not a valid template: the bounds of a range must be whole numbers/),
  ]);
  const saved = await save({ name: 'backinstock', html });
  expect(failure(saved.body)[0]).toBe('invalid-request');
  await service.http.get('/healthz').expect(200);
});

test('ordinary ranges go on working, also with numbers from values and with nothing', async () => {
  const { body } = await preview({
    subject:
      '{% for i in (1..3) %}{{ i }}{% endfor %}{% assign n = "2" %}{% for i in (n..3) %}{{ i }}{% endfor %}',
    text: '{% for i in (10..product.stock) %}{{ i }} {% endfor %}{% for i in (1..nothing) %}x{% else %}none{% endfor %}{{ (1..4).size }}',
  });
  expect(body.errors).toBeUndefined();
  expect(body.data.previewTopic.subject).toBe('12323');
  expect(body.data.previewTopic.text).toMatch(/^10 11 12 none4\n/);
});

test('a template that cannot be stopped politely is refused with its part, while others are served', async () => {
  let isDone = false;
  const ask = async (): Promise<Awaited<ReturnType<typeof preview>>> => {
    const answer = await preview({ html: ENDLESS_HTML });
    // A machine that is too busy to start the process again says so.
    if (failure(answer.body)[0] === 'unavailable') return ask();
    isDone = true;
    return answer;
  };
  const answered = ask();
  let served = 0;
  for (; !isDone; served += 1) await service.http.get('/healthz').expect(200);
  const { body } = await answered;
  expect(failure(body)).toEqual([
    'invalid-request',
    expect.stringMatching(/^html is not a valid template: rendering takes too /),
  ]);
  // In the serving thread it takes several seconds, in which nobody else is answered.
  expect(served).toBeGreaterThan(3);
  expect((await preview({})).body.errors).toBeUndefined();
});

test('all previews of a request have one time budget, and then give way to the next request', async () => {
  const fields = Array.from(
    { length: 20 },
    (_, index) => `p${index}: previewTopic(topic: "backinstock", text: $text, sms: "${index}") { sms }`,
  );
  const query = `query ($text: String) { ${fields.join(' ')} }`;
  const usual = await service.graphql(query, { text: 'Hello' }, { store });
  expect(usual.body.errors).toBeUndefined();
  const { body } = await service.graphql(query, { text: slow(100_000) }, { store });
  expect(failure(body)[0]).toBe('invalid-request');
  expect((await preview({})).body.errors).toBeUndefined();
});

test('what does not fit into the budget of a request is refused with its own failure', async () => {
  const budget = { leftMs: 1 };
  const render = () =>
    service.services.templates.trials.render({
      pid: store.pid,
      texts: { subject: 's', html: 'h', text: slow(100), sms: 'm' },
      parts: ['text'],
      model: SAMPLE_MODEL,
      footer: footerTexts(
        { name: 'Shop', postalAddress: null, imprintUrl: null },
        'en',
        'footer.why.product',
      ),
      budget,
    });
  const answers = await Promise.allSettled([render(), render()]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(answers[1]).toMatchObject({ reason: { type: 'limit-reached', status: 400 } });
});

test('test messages count against the budget of their request, too', async () => {
  const { db } = service.services;
  await db.query(
    `INSERT INTO topic (pid, name, trigger, subject, html, text, sms) VALUES ($1, 'slow', 'manual', 's', 'h', $2, 'm')`,
    [store.pid, slow(1_500)],
  );
  const sends = Array.from(
    { length: 20 },
    (_, index) => `t${index}: sendTestAlert(topic: "slow", to: "me@example.com") { id }`,
  );
  const { body } = await service.graphql(`mutation { ${sends.join(' ')} }`, {}, { store });
  // On a machine that stands still, one of them may run into its own limit first.
  expect(['limit-reached', 'invalid-request']).toContain(failure(body)[0]);
  const rows = await db.query('SELECT 1 FROM outbox WHERE pid = $1', [store.pid]);
  expect(rows.length).toBeLessThan(20);
});

test('whatever a template is, it gets an answer and the service goes on', async () => {
  const number = fc.oneof(
    fc.constantFrom('9007199254740992', '-1', '1e9', 'product.price', 'product.stock', 'nil', '"3"', 'x'),
    fc.integer({ min: -10, max: 200_000 }).map(String),
  );
  const value = fc.oneof(
    number,
    fc.constantFrom('product.title', 'product', 'forloop', 'forloop.index', 'empty', '"%999999Y%a"'),
    fc.tuple(number, number).map(([low, high]) => `(${low}..${high})`),
    fc.string({ maxLength: 20 }).map((text) => JSON.stringify(text)),
  );
  const filter = fc
    .tuple(
      fc.constantFrom(
        'append',
        'times',
        'replace',
        'split',
        'slice',
        'date',
        'json',
        'join',
        'truncate',
        'nonsense',
        'url_decode',
        'round',
      ),
      value,
      value,
    )
    .map(([name, first, second]) => `| ${name}: ${first}, ${second}`);
  const { template } = fc.letrec<{ template: string }>((tie) => ({
    template: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc
        .tuple(value, fc.array(filter, { maxLength: 3 }))
        .map(([head, rest]) => `{{ ${head} ${rest.join(' ')} }}`),
      fc
        .tuple(value, fc.array(filter, { maxLength: 3 }))
        .map(([head, rest]) => `{% assign x = ${head} ${rest.join(' ')} %}`),
      fc.tuple(value, tie('template')).map(([list, body]) => `{% for x in ${list} %}${body}{% endfor %}`),
      fc
        .tuple(value, tie('template'))
        .map(([list, body]) => `{% tablerow x in ${list} cols: x %}${body}{% endtablerow %}`),
      fc
        .tuple(value, value, tie('template'))
        .map(([a, b, body]) => `{% if ${a} contains ${b} %}${body}{% endif %}`),
      tie('template').map((body) => `{% capture x %}${body}{{ x }}{{ x }}{% endcapture %}`),
      fc.tuple(tie('template'), tie('template')).map((bodies) => bodies.join('')),
      fc.constantFrom(
        '<!--',
        '</body>',
        '<plaintext>',
        '<title>',
        '<b id=1><p>',
        '{%',
        '{{ "',
        '{% raw %}',
        '{% liquid\n for\n%}',
      ),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(template, fc.constantFrom('subject', 'html', 'text', 'sms'), async (source, part) => {
      const { body } = await preview({ [part]: source });
      if (body.errors === undefined) expect(body.data.previewTopic.html).toContain('>Unsubscribe<');
      else expect(failure(body)[0]).toBe('invalid-request');
      await service.http.get('/healthz').expect(200);
    }),
    { numRuns: times(60) },
  );
});

/** The unsubscribe link of a page as a reader without scripts meets it, or undefined. */
function visibleLink(html: string): string | undefined {
  type Node = DefaultTreeAdapterTypes.ChildNode;
  const hidden = [
    'template',
    'title',
    'textarea',
    'style',
    'script',
    'head',
    'select',
    'iframe',
    'noframes',
    'xmp',
    'plaintext',
  ];
  const search = (nodes: Node[]): string | undefined => {
    for (const node of nodes) {
      if (!('tagName' in node) || hidden.includes(node.tagName)) continue;
      const attribute = (name: string) => node.attrs.find((attr) => attr.name === name)?.value;
      if (attribute('hidden') !== undefined || /display:\s*none/.test(attribute('style') ?? '')) continue;
      const href = attribute('href');
      if (node.tagName === 'a' && href?.includes('/unsubscribe/')) return href;
      const found = search(node.childNodes);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(parse(html, { scriptingEnabled: false }).childNodes);
}

test.each([
  ['<html><body><p>x</p><!-- </body> --></body></html>'],
  ['<html><body><p>x</p></body><!-- </body> -->'],
  ['<p>x</p><!-- '],
  ['<p>x</p><!-- </body>'],
  ['<p>x</p><style></body>'],
  ['<title></body>'],
  ['<p>x</p><textarea></body></html>'],
  ['<p>x</p><script>"</body>"'],
  ['<p>x</p><noscript><!-- </noscript></body>'],
  ['<p>x</p><plaintext></body>'],
  ['<!doctype html><body><template></body>'],
  ['<body><div hidden>x</body>'],
  ['<body><div style="display: none">x'],
  ['<body hidden>x</body>'],
  ['<html style="display:none"><body>x</body></html>'],
  ['<p title="</body>'],
  ["<a href='</body>"],
  ['<select><option></body>'],
  ['<svg><title></body>'],
  ['<frameset><frame></frameset></body>'],
  ['<table><tr><td></body>'],
  ['<style>p { display: none }</style><p>x</p>'],
  ['<![CDATA[ </body> ]]>'],
])('the way out of a mail can be seen in %s', async (html) => {
  const { body } = await preview({ html });
  expect(body.errors).toBeUndefined();
  expect(visibleLink(body.data.previewTopic.html)).toBe('https://alerts.example/unsubscribe/sample');
});

test('markup that is in order stays as it was written', async () => {
  const html =
    '<!DOCTYPE html><html><head><title>T</title></head><BODY class=x><!--[if mso]><br /><![endif]-->&copy; <p>x</BODY></html>\n';
  const { body } = await preview({ html });
  const [before, after] = html.split('</BODY>');
  const shown: string = body.data.previewTopic.html;
  expect(shown.startsWith(`${before}<p class="wg-footer" dir="ltr" style=`)).toBe(true);
  expect(shown.endsWith(`</p></BODY>${after}`)).toBe(true);
});

test('a subject has no characters that turn or hide what is read', async () => {
  await setStock(service, store, '5', 2, {
    dt: 'Sh\u202eirt\u2066 \u200f\u061cfor\u00ad\u200b \ufeff👩\u200d👧',
  });
  const { body } = await preview({ epi: 5, subject: '\u202d{{ product.title }}\u2069' });
  expect(body.data.previewTopic.subject).toBe('Shirt for 👩\u200d👧');
});
