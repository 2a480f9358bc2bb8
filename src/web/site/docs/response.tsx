import { useEffect, useRef } from 'preact/hooks';
import { Code } from './code.tsx';
import type { Call } from './model.ts';
import { json, parsed } from './request.ts';
import type { Result } from './request.ts';
import { Text } from './text.tsx';

export type Run = { count: number; isBusy: boolean; result: Result | null; error: string };

const shown = (body: string): string => (/^[[{]/.test(body) ? json(parsed(body)) : body);

export function ResponseBox({ call, run }: { call: Call; run: Run }) {
  const { count, result, error } = run;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (count === 0) return;
    box.current!.scrollIntoView({ block: 'nearest' });
    box.current!.closest('.call')!.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [count]);
  const outcome = result && `${result.status} ${result.isOk ? 'OK' : 'Error'}`;
  return (
    <div class="response" data-runs={count} ref={box}>
      <p role="status">
        <strong class={result?.isOk ? 'good' : 'bad'} data-status={result?.status}>
          {outcome ?? error}
        </strong>
        {result && ` in ${result.milliseconds} ms`}
      </p>
      <Code
        title={result ? 'Response' : 'Sample response'}
        code={result ? shown(result.body) : call.response.example}
        what={`response of ${call.path}`}
      />
    </div>
  );
}

export function Errors({ errors }: Pick<Call, 'errors'>) {
  return (
    <dl>
      {errors.map(({ status, description }) => (
        <>
          <dt>{status}</dt>
          <dd>
            <Text text={description} />
          </dd>
        </>
      ))}
    </dl>
  );
}
