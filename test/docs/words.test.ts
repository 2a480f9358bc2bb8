import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Phrases that readers stumble over, and what the field says instead. Case does not matter; spaces match line breaks. */
const PHRASES: [phrase: RegExp, instead: string][] = [
  // People and messages.
  [/\btold\b|\btells?\b(?! (me|you|us|apart)\b)|\btelling\b/, 'notified, receives, shows, reports'],
  [/\bhears?\b|\bheard\b/, 'receives, is notified'],
  [/\b(who|what) is to (hear|get|know)\b/, 'name the recipient'],
  [/\bwho(m)?ever\b/, 'name the actor'],
  [/\be-mail/, 'email'],
  [/(?<![\w./-])mails(?![\w./-])/, 'emails'],
  [/(?<![\w./-])mail(?![\w./-])(?! (servers?|transports?)\b)/, 'email; "email client", not "mail program"'],
  [/\btext messages?\b/, 'SMS'],
  [/\blist holders?\b/, 'list owner'],
  [
    /\b(alerts?|emails?|messages?|sms|deliver(y|ies)|it|each|they|those) leaves? (now|by|at|then|alone|like|from|in one)\b/,
    'is sent',
  ],
  [/\b(when|no|one|each) alerts? leaves?\b|\b(wait|due) to leave\b/, 'sending schedule, is sent'],
  [/\bleave with one click\b|\bstop (these )?messages\b/, 'unsubscribe'],
  [/\bsomebody, hopefully\b/, 'Please confirm that …'],
  [/\bpac(e|es|ing)\b (?!of )/, 'frequency cap, digest or quiet hours'],
  [/\b(pacing|paces its)\b/, 'frequency cap, digest or quiet hours'],
  [/\bwithheld\b/, 'suppressed'],
  [/\bwho is told\b|\bnobody waits\b|\bwork in it\b/, 'Recipients, No subscribers yet, Open'],
  [/\bbrief (link|address)/, 'short link'],
  [
    /\bmeasure (my |their |its |the )?clicks\b|\bwhat is measured\b|\bmay be measured\b|\bnot measured\b|\bmeasuring clicks\b/,
    'track clicks, click tracking, attribution',
  ],

  // Calls and responses.
  [/\banswer(s|ed|ing)?\b/, 'response, responds, returns; reply for what a person writes back'],
  [
    /\bfailure types?\b|\b(unexpected|the body of every|answers? and|told a) failures?\b|^failures?\b/,
    'error, error type',
  ],
  [/\bboth doors\b|\bdoors?\b/, 'API'],
  [
    /\b(is|are|was|were|be|been|not|could|until it is|nothing|last) taken\b(?! (from|out|for|into|off|by|over)\b)/,
    'accepted',
  ],
  [/\btaken back\b/, 'unset, undone'],
  [/\btries\b(?! (to|again|handlers|it|the|each|every|another)\b)/, 'attempts'],
  [/\b(last|first|further|one|each|next|no) try\b/, 'attempt'],
  [
    /\b(database|redis|server|postgresql|primary|replica|service|collector) (is|are|was) away\b/,
    'unavailable',
  ],
  [/\bturned away\b/, 'rejected'],
  [/\bthis was not taken\b/, 'Please check the highlighted field.'],
  [/\bnot understood\b/, 'usage error'],
  [/\bexit status\b/, 'exit code'],
  [/\b(shown|shows|print(s|ed)?|is|it) this once\b/, 'shown only once'],
  [/\bknown to the world\b/, 'public URL'],
  [/\bat this address\b/, 'Not found'],
  [/\bkept (answers?|responses?)\b/, 'response cache, cached responses'],
  [/\bnothing is known\b/, 'unknown'],
  [/\bnothing has all of\b/, 'No results'],
  [/\bis refused as\b/, 'fails with'],

  // Ways of saying it.
  [/\bso many\b/, 'the number'],
  [/\bso long\b(?! (as|that)\b)/, 'the duration'],
  [/\bgone again\b/, 'removed'],
  [
    /\bof one's own\b|\bmachine of (your|one's) own\b|\bown machine\b|\bon the machine itself\b/,
    'your own …, localhost',
  ],
  [/(?<!thrown |made |woven )\bby hand\b/, 'manually'],
  [/\b(bring|brings|bringing|brought)( \w+){0,2} back\b/, 'restore'],
  [/\bputs? (it|a list|lists|the list|them) away\b/, 'archive'],
  [/\bof one moment\b/, 'consistent snapshot, concurrent'],
  [/\bbeside\b/, 'next to, alongside, besides'],
  [/\bby the way\b/, 'drop it'],
  [/\bwhat becomes of\b/, 'what happens to'],
  [/\bto see to\b|\bshould see to\b/, 'take care of'],
  [
    /\b(go|goes|going|went) on (with|where|from|behind|until|after|without|as)\b|\bto go on\b|\bwhere it goes on\b/,
    'continue',
  ],
  [/\buntil there is room\b|\bmore room\b/, 'the rest are sent later; more storage'],
  [/\bmost that (a|one|the)\b/, 'the maximum'],
  [/\bcosts less (now|some day)\b/, 'Price drop: now … (was …)'],
  [/\bin turns\b/, 'in turn, alternately'],
  [/\bthe like\b/, 'name them, or "and so on"'],
  [/\bnudges?\b|\bparcels?\b/, 'change notification, message'],
];

type Text = { line: number; text: string };

/** A string without spaces is an identifier, and one with SQL in it is for the database; neither is read by people. */
const isProse = (text: string): boolean =>
  (/\s/.test(text.trim()) || /^[A-Z][a-z]+$/.test(text)) &&
  !/\b(SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|CASE WHEN|VALUES)\b|\bAS "|jsonb/.test(text);

/** Comments, strings, and what stands between the tags of JSX. */
function textsOfCode(file: string, source: string): Text[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = new Map<number, Text>();
  const add = (start: number, text: string): void => {
    found.set(start, { line: tree.getLineAndCharacterOfPosition(start).line + 1, text });
  };
  const visit = (node: ts.Node): void => {
    if (!ts.isJsxText(node))
      for (const { pos, end } of [
        ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
        ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
      ])
        add(pos, source.slice(pos, end).replaceAll(/^\s*\* ?/gm, ''));
    // The names of style classes are no text.
    if (ts.isJsxAttribute(node) && node.name.getText(tree) === 'class') return;
    if (ts.isJsxText(node) || (ts.isStringLiteralLike(node) && isProse(node.text)))
      add(node.getStart(tree), node.text);
    if (ts.isTemplateExpression(node) && isProse(node.getText(tree)))
      for (const { pos, text } of [node.head, ...node.templateSpans.map(({ literal }) => literal)])
        add(pos, text);
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return [...found.values()];
}

/** Descriptions and comments; names of fields are not prose. */
const textsOfGraphql = (source: string): Text[] =>
  [...source.matchAll(/"""([\s\S]*?)"""|"([^"\n]+)"|#(.*)$/gm)].map((match) => ({
    line: source.slice(0, match.index).split('\n').length,
    text: match[1] ?? match[2] ?? match[3]!,
  }));

/** Paragraphs without fenced code. */
function textsOfMarkdown(source: string): Text[] {
  const prose = source.replaceAll(/^```[\s\S]*?^```$/gm, (code) => code.replaceAll(/[^\n]/g, ' '));
  return [...prose.matchAll(/(?:^.*\S.*$\n?)+/gm)].map(({ 0: text, index }) => ({
    line: prose.slice(0, index).split('\n').length,
    text,
  }));
}

/** Messages without their keys and the names of their values. */
const textsOfMessages = (source: string): Text[] =>
  source.split('\n').map((line, index) => ({
    line: index + 1,
    text: line.replace(/^\s*"[^"]*":/, '').replaceAll(/\{\w+[,}]/g, '{'),
  }));

/** Names in backticks are the wire's, and stay as they are. */
function textsOf(file: string, source = readFileSync(join(ROOT, file), 'utf8')): Text[] {
  const texts = /\.tsx?$/.test(file)
    ? textsOfCode(file, source)
    : file.endsWith('.graphql')
      ? textsOfGraphql(source)
      : file.endsWith('.json')
        ? textsOfMessages(source)
        : textsOfMarkdown(source);
  return texts.map(({ line, text }) => ({ line, text: text.replaceAll(/`[^`\n]+`/g, '`…`') }));
}

/** Messages in other languages than English have their own words. */
const isForeign = (file: string): boolean =>
  file.startsWith('src/messages/') && /[/.](?!en\b)[a-z]{2}(-[A-Za-z]+)?[/.]/.test(file);

function filesIn(folder: string): string[] {
  return (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter(
      (file) =>
        /\.(tsx?|graphql|md|json)$/.test(file) &&
        !/^src\/generated\/|^packages\/\w+\/dist\//.test(file) &&
        !isForeign(file),
    );
}

function complaintsAbout(file: string): string[] {
  return textsOf(file).flatMap(({ line, text }) =>
    PHRASES.flatMap(([phrase, instead]) =>
      [...text.matchAll(new RegExp(phrase.source.replaceAll(' ', '\\s+'), 'gi'))].map(
        ({ 0: found, index }) => {
          const at = line + text.slice(0, index).split('\n').length - 1;
          return `${file}:${at}: "${found.replaceAll(/\s+/g, ' ')}" → ${instead}`;
        },
      ),
    ),
  );
}

test('texts, descriptions, comments and documents use the words of the field', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', '.env.example'];
  const files = [...pages, ...['docs', 'schema', 'src', 'packages'].flatMap(filesIn)];
  expect(files.length).toBeGreaterThan(400);
  expect(files.flatMap(complaintsAbout)).toEqual([]);
});

test('ordinary English passes, and the old phrases are found wherever they stand', () => {
  const find = (file: string, source: string): string[] => {
    return textsOf(file, source).flatMap(({ text }) =>
      PHRASES.filter(([phrase]) => new RegExp(phrase, 'i').test(text)).map(String),
    );
  };
  expect(find('a.ts', "const tries = 'withheld'; // The server tries to reconnect.")).toEqual([]);
  expect(find('a.md', 'Leave the field empty, so long as `answer` is not set.')).toEqual([]);
  expect(find('a.ts', '/** Nobody is told. */ const text = `${count} tries`;')).toHaveLength(2);
  expect(find('a.md', 'The e-mail is sent.')).toHaveLength(1);
});
