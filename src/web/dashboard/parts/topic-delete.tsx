import { useState } from 'preact/hooks';
import { DeleteTopicDocument } from '../../../generated/dashboard.ts';
import { plural } from '../format.ts';
import { hrefTo } from '../route.ts';
import { useSession } from '../session.ts';
import { forgetUnsaved } from '../unsaved.tsx';
import { Confirm } from './confirm.tsx';

/** Deletes a topic that the store made, once its name is typed. */
export function TopicDelete({ name }: { name: string }) {
  const { run, notify } = useSession();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" class="danger outline" onClick={() => setAsking(true)}>
        Delete topic
      </button>
      {isAsking && (
        <Confirm
          title={`Delete the topic ${name}?`}
          action="Delete topic"
          phrase={name}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            const { deleteTopic } = await run(DeleteTopicDocument, { name });
            notify(
              `The topic ${name} is deleted, with ${plural(deleteTopic.subscriptions, 'subscription')}.`,
            );
            forgetUnsaved();
            location.hash = hrefTo('topics');
          }}
        >
          Everybody who waits for it is unsubscribed, and alerts that are not sent yet are withheld. This
          cannot be undone.
        </Confirm>
      )}
    </>
  );
}
