import { DeleteTopicDocument } from '../../../generated/dashboard.ts';
import { plural } from '../format.ts';
import { hrefTo } from '../route.ts';
import { useSession } from '../session.ts';
import { forgetUnsaved } from '../unsaved.tsx';
import { Button } from './button.tsx';
import { useDialog } from './dialog.tsx';
import { Confirm } from './form-dialog.tsx';

/** Deletes a topic that the store made, once its name is typed. */
export function TopicDelete({ name }: { name: string }) {
  const { run, notify } = useSession();
  const { open } = useDialog();
  const remove = async (): Promise<void> => {
    const { deleteTopic } = await run(DeleteTopicDocument, { name });
    notify(`The topic ${name} is deleted, with ${plural(deleteTopic.subscriptions, 'subscription')}.`);
    forgetUnsaved();
    location.hash = hrefTo('topics');
  };
  const ask = (): void =>
    open(
      <Confirm title={`Delete the topic ${name}?`} label="Delete topic" phrase={name} onSubmit={remove}>
        Everybody who waits for it is unsubscribed, and alerts that are not sent yet are withheld. This cannot
        be undone.
      </Confirm>,
    );
  return (
    <Button look="danger outline" onClick={ask}>
      Delete topic
    </Button>
  );
}
