import type { ChannelFieldsFragment } from '../../../generated/dashboard.ts';
import type { TopicDraft } from '../topic-draft.ts';
import { CodeField } from './code-field.tsx';
import type { Variable } from './code-field.tsx';
import type { Form } from './form.tsx';
import { Card } from './layout.tsx';

/** The texts of a topic. The part that is being written is told, so that the preview shows it. */
export function TemplateEditor({
  channels,
  variables,
  form,
  onPart,
}: {
  channels: ChannelFieldsFragment[];
  variables: readonly Variable[];
  form: Form<TopicDraft>;
  onPart: (name: string) => void;
}) {
  const { texts } = form.draft;
  return (
    <Card
      title="Template"
      note={
        <>
          Liquid: <span class="code">{'{{ product.title }}'}</span> shows a value,{' '}
          <span class="code">{'{% if product.brand %}…{% endif %}'}</span> asks for one. Values are escaped.
        </>
      }
    >
      {channels
        .flatMap(({ parts }) => parts)
        .map(({ name, label, rows, isHtml }) => (
          <CodeField
            key={name}
            name={name}
            label={label}
            rows={rows}
            isHtml={isHtml}
            variables={variables}
            value={texts[name] ?? ''}
            onValue={(text) => form.set({ texts: { ...texts, [name]: text } })}
            onFocus={() => onPart(name)}
          />
        ))}
    </Card>
  );
}
