// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { NewTranscriptDialog } from "@/app/_components/transcripts/form/new-transcript-dialog";
import { transcriptDetail, transcriptQuery } from "@/app/_components/transcripts/summary/transcript.test-support";
import { fakeApi, refusal } from "@/app/_kit/fake-api.test-support";
import { TranscriptView } from "./transcript-view";

const ID = "transcript_aaaaaaaa";
const choices = {
  items: [
    { provider: "demo", model: "demo-1", kind: "demo" },
    { provider: "openai", model: "gpt-5", kind: "openai" },
  ],
};

describe("a new transcript", () => {
  it("AGT-13 is made with what was written", async () => {
    let made: unknown;
    const api = fakeApi({
      "transcripts.list": () => ({ items: [] }),
      "models.choices": () => choices,
      "transcripts.create": (input: unknown) => {
        made = input;
        return transcriptDetail();
      },
    });
    api.render(<NewTranscriptDialog onClose={() => undefined} />);
    const dialog = await screen.findByRole("dialog", { name: "New transcript" });
    await within(dialog).findByRole("option", { name: "gpt-5 · openai" });
    fireEvent.click(within(dialog).getByRole("button", { name: "Create transcript" }));
    expect(within(dialog).getByText("Enter a title")).toBeTruthy();
    fireEvent.change(within(dialog).getByLabelText(/^Title/), { target: { value: "Standup" } });
    fireEvent.change(within(dialog).getByLabelText(/^Model/), { target: { value: "1" } });
    fireEvent.change(within(dialog).getByLabelText(/^Wake phrases/), { target: { value: "hey you\n\n computer " } });
    fireEvent.click(within(dialog).getByRole("button", { name: "Create transcript" }));
    await waitFor(() => expect(api.visited).toEqual([`/runs/transcripts/${ID}`]));
    expect(made).toMatchObject({
      settings: {
        title: "Standup",
        provider: "openai",
        model: "gpt-5",
        silenceMs: 1500,
        wakePhrases: ["hey you", "computer"],
      },
    });
  });

  it("AGT-13 puts the server's refusals beneath their fields", async () => {
    const api = fakeApi(
      {
        "transcripts.list": () => ({ items: [] }),
        "models.choices": () => choices,
        "transcripts.create": () => {
          throw refusal(
            { path: "wakePhrases", message: "needs two letters" },
            { path: "settings.title", message: "is too long" },
            { path: "", message: "Full" },
          );
        },
      },
      "?new=1",
    );
    api.render(<NewTranscriptDialog onClose={() => undefined} />);
    const dialog = await screen.findByRole("dialog", { name: "New transcript" });
    await within(dialog).findByRole("option", { name: "gpt-5 · openai" });
    fireEvent.change(within(dialog).getByLabelText(/^Title/), { target: { value: "Standup" } });
    fireEvent.click(within(dialog).getByRole("button", { name: "Create transcript" }));
    await within(dialog).findByText("needs two letters");
    expect(
      within(dialog)
        .getByLabelText(/^Title/)
        .getAttribute("aria-invalid"),
    ).toBe("true");
    expect(within(dialog).getByRole("alert").textContent).toContain("Full");
  });
});

describe("a transcript", () => {
  it("AGT-13 shows who said what and when, the query marked in its place, and axe finds nothing", async () => {
    const api = fakeApi({ "transcripts.get": () => transcriptDetail() });
    const { container } = api.render(<TranscriptView id={ID} />);
    await screen.findByRole("heading", { level: 1, name: "Standup" });
    const said = screen.getByRole("list", { name: "Transcript text" });
    expect(Array.from(said.querySelectorAll("mark"), (mark) => mark.textContent)).toEqual([
      "Hey Tool",
      "room, what is 2 + 2?",
    ]);
    expect(said.textContent).toContain("1:05");
    expect(within(said).getByRole("link", { name: "Query 1" }).getAttribute("href")).toBe("#query-1");
    const query = screen.getByRole("listitem", { name: "Query 1" });
    expect(query.querySelector("[data-status]")?.getAttribute("data-status")).toBe("running");
    expect(within(query).getByRole("link", { name: "Run of query 1" }).getAttribute("href")).toBe("/runs/run_aaaaaaaa");
    await screen.findByText(/transcripts\.append/);
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it("AGT-13 shows the answer when it comes, without markup of its own", async () => {
    let detail = transcriptDetail();
    const api = fakeApi({ "transcripts.get": () => detail });
    api.render(<TranscriptView id={ID} />);
    await screen.findByText("running");
    const answer = "It is **4**. <img src=x onerror=alert(1)>";
    const answered = { answer, answeredAt: 3000, runStatus: "succeeded" as const };
    detail = transcriptDetail({ queries: [transcriptQuery(answered)] });
    act(() => api.emit({ type: "transcript", transcriptId: ID }));
    await screen.findByText("succeeded");
    expect(screen.getByText(/It is/)).toBeTruthy();
    expect(document.querySelector("img")).toBeNull();
  });

  it("AGT-13 says why there is no answer", async () => {
    const failed = transcriptQuery({ runStatus: "failed", error: "The model is overloaded", answeredAt: 3000 });
    const asking = transcriptQuery({ id: "query_b", runStatus: "waiting" });
    fakeApi({ "transcripts.get": () => transcriptDetail({ queries: [failed, asking] }) }).render(
      <TranscriptView id={ID} />,
    );
    await screen.findByText("The model is overloaded");
    expect(screen.getByText("failed").closest("[data-status]")?.getAttribute("data-status")).toBe("failed");
    expect(screen.getByText("needs approval")).toBeTruthy();
  });

  it("AGT-13 takes a line by hand, keeps one that was refused, and takes none when it is closed", async () => {
    let refusal: string | null = "This transcript is full";
    let detail = transcriptDetail();
    const api = fakeApi({
      "transcripts.get": () => detail,
      "transcripts.append": () => {
        if (refusal !== null) throw new Error(refusal);
        return { seq: 4 };
      },
    });
    api.render(<TranscriptView id={ID} />);
    const line = await screen.findByRole<HTMLInputElement>("textbox", { name: "Line" });
    fireEvent.change(screen.getByRole("textbox", { name: "Speaker" }), { target: { value: "Bo" } });
    fireEvent.change(line, { target: { value: " hello " } });
    fireEvent.click(screen.getByRole("button", { name: "Add line" }));
    await screen.findByText("Couldn't add the line: This transcript is full");
    expect(line.value).toBe(" hello ");
    refusal = null;
    fireEvent.click(screen.getByRole("button", { name: "Add line" }));
    await waitFor(() => expect(line.value).toBe(""));
    const sent = api.calls.filter(({ path }) => path === "transcripts.append").at(-1)?.input;
    expect(sent).toEqual({ id: ID, segments: [{ text: "hello", speaker: "Bo" }] });
    detail = transcriptDetail({ status: "closed", closedAt: 5000 });
    act(() => api.emit({ type: "transcript", transcriptId: ID }));
    await waitFor(() => expect(screen.queryByRole("textbox", { name: "Line" })).toBeNull());
    expect(screen.queryByRole("button", { name: "Close transcript" })).toBeNull();
  });

  it("AGT-13 asks before it deletes", async () => {
    const api = fakeApi({ "transcripts.get": () => transcriptDetail(), "transcripts.delete": () => ({ id: ID }) });
    api.render(<TranscriptView id={ID} />);
    fireEvent.click(await screen.findByRole("button", { name: "Delete" }));
    const dialog = await screen.findByRole("dialog", { name: "Delete Standup?" });
    expect(api.calls.some(({ path }) => path === "transcripts.delete")).toBe(false);
    fireEvent.click(within(dialog).getByRole("button", { name: "Delete transcript" }));
    await waitFor(() => expect(api.visited).toEqual(["/runs/transcripts"]));
  });
});
