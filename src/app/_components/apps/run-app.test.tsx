// @vitest-environment happy-dom
import { act, fireEvent, screen } from "@testing-library/react";
import { Suspense, use, useState } from "react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { AppConversationProvider } from "./app-conversation";
import { RunApp } from "./run-app";

const unread = () => new Promise<never>(() => undefined);
const closed = () => screen.queryAllByRole("button", { name: "Open App" });

interface TalkProps {
  since: number | null;
  /** When each call ended. */
  calls: readonly number[];
  /** Other parts of the page, not loaded yet. */
  late?: readonly Promise<string>[];
}

function Late({ pieces }: { pieces: readonly Promise<string>[] }) {
  return pieces.map((piece) => use(piece));
}

function Talk({ since, calls, late = [] }: TalkProps) {
  return (
    <AppConversationProvider since={since} onDraft={() => undefined} onContext={() => undefined}>
      <Suspense fallback="loading">
        {calls.map((endedAt) => (
          <RunApp key={endedAt} executionId={`exec_${endedAt}`} endedAt={endedAt} />
        ))}
        <Late pieces={late} />
      </Suspense>
    </AppConversationProvider>
  );
}

/** A conversation that becomes another one at the press of a button. */
function Change({ from, to }: { from: TalkProps; to: TalkProps }) {
  const [shown, setShown] = useState(from);
  return (
    <>
      <button type="button" onClick={() => setShown(to)}>
        Next
      </button>
      <Talk {...shown} />
    </>
  );
}

function change(from: TalkProps, to: TalkProps): void {
  fakeApi({ "executions.get": unread }).render(<Change {...{ from, to }} />);
  fireEvent.click(screen.getByRole("button", { name: "Next" }));
}

it("opens the Apps of the first two new calls, and no others", () => {
  change({ since: 1, calls: [1] }, { since: 1, calls: [1, 2, 3, 4] });
  expect(closed()).toHaveLength(2);
});

it("opens the App of a new call also when React renders it several times before it is on the page", async () => {
  const loads: ((text: string) => void)[] = [];
  const late = [1, 2, 3].map(() => new Promise<string>((resolve) => loads.push(resolve)));
  const page = fakeApi({ "executions.get": unread });
  await act(async () => void page.render(<Talk since={0} calls={[1, 2]} late={late} />));
  for (const load of loads) await act(async () => load("loaded"));
  await screen.findByText(/loaded/);
  expect(closed()).toHaveLength(0);
});

it("opens the App of a call that comes in the same rendering as the time of what was there before", () => {
  change({ since: null, calls: [1] }, { since: 1, calls: [1, 2] });
  expect(closed()).toHaveLength(1);
});
