import { GUIDES } from '../../../../docs/guides/README.md';
import type { Guide } from '../../../../docs/guides/README.md';
import { Code } from './code.tsx';
import { useSettings } from './settings.ts';

export function GuideView({ guide }: { guide: Guide }) {
  const { address, credentials } = useSettings();
  const next = GUIDES[GUIDES.indexOf(guide) + 1];
  const { pid, apiKey, regid, sessionid } = credentials;
  const known: Record<string, string> = {
    'http://127.0.0.1:4000': address,
    YOUR_PID: pid,
    YOUR_ENCODED_PID: encodeURIComponent(pid),
    YOUR_API_KEY: apiKey,
    THE_REGID: regid,
    ITS_SESSIONID: sessionid,
  };
  const fill = (code: string): string =>
    code.replace(new RegExp(Object.keys(known).join('|'), 'g'), (name) => known[name] || name);
  return (
    <article class="guide" id={`guide-${guide.id}`}>
      <h1 tabIndex={-1}>{guide.title}</h1>
      {guide.blocks.map(({ language, title, text }) =>
        language ? (
          <Code title={title} language={language} code={fill(text)} what={`example of ${guide.title}`} />
        ) : (
          <div dangerouslySetInnerHTML={{ __html: text }} />
        ),
      )}
      {next && (
        <p>
          Next: <a href={`#/guide/${next.id}`}>{next.title}</a>
        </p>
      )}
    </article>
  );
}
