import { Failures } from './answers.tsx';
import { Code } from './code.tsx';
import { blocksOf, variables } from './guides.ts';
import type { Block, Guide } from './guides.ts';
import type { Call } from './model.ts';
import { useSettings } from './settings.ts';
import { Text } from './text.tsx';

const LANGUAGES: Record<string, string> = {
  bash: 'Terminal',
  sh: 'Terminal',
  js: 'JavaScript in a browser',
  node: 'JavaScript in Node',
  json: 'Answer',
};

function Part({ block, title }: { block: Block; title: string }) {
  if (block.kind === 'heading') return <h2>{block.text}</h2>;
  if (block.kind === 'text') return <Text text={block.text} />;
  return (
    <div data-language={block.language}>
      <Code title={LANGUAGES[block.language]!} code={block.text} what={`example of ${title}`} />
    </div>
  );
}

/** A page that explains, with code that works as it stands. */
export function GuideView({
  guide,
  anyCall,
  next,
}: {
  guide: Guide;
  anyCall: Call;
  next: Guide | undefined;
}) {
  const { address, credentials } = useSettings();
  const blocks = blocksOf(guide, address, credentials);
  const first = blocks.findIndex((block) => block.kind === 'code' && /^(ba)?sh$/.test(block.language));
  return (
    <article class="guide" id={`guide-${guide.id}`}>
      <h1 tabIndex={-1}>{guide.title}</h1>
      {blocks.map((block, index) => (
        <>
          {index === first && (
            <div data-language="bash">
              <Code
                title="First, once in your terminal"
                code={variables(address, credentials)}
                what="variables of the examples"
              />
            </div>
          )}
          <Part block={block} title={guide.title} />
        </>
      ))}
      {guide.id === 'errors' && (
        <>
          <h2>All types</h2>
          <Failures failures={anyCall.failures} />
        </>
      )}
      {next && (
        <p class="next">
          Next: <a href={`#/guide/${next.id}`}>{next.title}</a>
        </p>
      )}
    </article>
  );
}
