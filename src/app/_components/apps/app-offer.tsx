import { WebLink } from "@/app/_components/content/web-link";
import { leaveOnEscape } from "@/app/_kit/leave-on-escape";
import { Button, buttonClass } from "@/app/_ui/button";

/** Opens a link in another tab. */
const MIDDLE = 1;

/** A request of an App that the user answers. `answer` reports the decision to the App. */
export type AppOffer = { answer: (taken: boolean) => void } & (
  | { kind: "link"; url: string }
  | { kind: "message"; text: string }
);

/** A request of an App that a user decides. Its text is untrusted, and shown as text. */
export function AppOfferView({ offer, onDone }: { offer: AppOffer; onDone: () => void }) {
  const end = (taken: boolean): void => {
    offer.answer(taken);
    onDone();
  };
  return (
    <div
      role="alert"
      {...leaveOnEscape(() => end(false))}
      className="flex flex-col gap-2 border-line border-b bg-accent-bg px-3 py-2 text-sm"
    >
      {offer.kind === "link" ? (
        <>
          <p className="font-medium">The App asks to open a page</p>
          <WebLink uri={offer.url} onOpen={() => end(true)} />
        </>
      ) : (
        <>
          <p className="font-medium">The App suggests a message</p>
          <p className="max-h-40 overflow-auto whitespace-pre-wrap rounded-md border border-line bg-panel px-2 py-1.5 [overflow-wrap:anywhere]">
            {offer.text}
          </p>
        </>
      )}
      <div className="flex gap-2">
        {offer.kind === "link" ? (
          <a
            href={offer.url}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonClass({ variant: "primary" })}
            onClick={() => end(true)}
            onAuxClick={({ button }) => button === MIDDLE && end(true)}
          >
            Open
          </a>
        ) : (
          <Button variant="primary" onClick={() => end(true)}>
            Use as draft
          </Button>
        )}
        <Button onClick={() => end(false)}>Decline</Button>
      </div>
    </div>
  );
}
