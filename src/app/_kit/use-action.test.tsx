// @vitest-environment happy-dom
import { useQuery } from "@tanstack/react-query";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { trpc } from "@/app/_trpc/client";
import { fakeApi } from "./fake-api.test-support";
import { guess, useAction } from "./use-action";

function Star() {
  const { tools } = trpc;
  const { data = [] } = useQuery(tools.favorites.queryOptions());
  const [report, setReport] = useState<string | null>(null);
  const star = useAction(tools.setFavorite.mutationOptions(), {
    stale: [tools.favorites.queryKey()],
    done: (_, { name }) => `${name} starred`,
    failed: ({ name }) => `Couldn't star ${name}`,
    report: setReport,
    guesses: ({ name }) => [guess(tools.favorites.queryKey(), (names) => [...names, name])],
  });
  return (
    <>
      <output aria-label="Favorites">{data.join(", ")}</output>
      <output aria-label="Problem">{star.problem}</output>
      <output aria-label="Report">{report}</output>
      <button type="button" onClick={() => star.mutate({ name: "echo", favorite: true })}>
        Star
      </button>
    </>
  );
}

const read = (name: string) => screen.getByRole("status", { name }).textContent;

describe("an action", () => {
  it("shows its guess until the server answers, then what the server has, and reports what is done", async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const stored = ["clock"];
    fakeApi({
      "tools.favorites": () => [...stored],
      "tools.setFavorite": async ({ name }: { name: string }) => {
        await answered;
        stored.push(name, "late");
      },
    }).render(<Star />);
    await waitFor(() => expect(read("Favorites")).toBe("clock"));
    fireEvent.click(screen.getByRole("button", { name: "Star" }));
    await waitFor(() => expect(read("Favorites")).toBe("clock, echo"));
    answer();
    await screen.findByText("echo starred");
    expect(read("Favorites")).toBe("clock, echo, late");
  });

  it("takes its guess back after a refusal, reads again and says why, until the next attempt", async () => {
    let refuse = true;
    const stored = ["clock"];
    const api = fakeApi({
      "tools.favorites": () => [...stored],
      "tools.setFavorite": ({ name }: { name: string }) => {
        if (refuse) throw new Error("the catalog is full");
        stored.push(name);
      },
    });
    api.render(<Star />);
    await waitFor(() => expect(read("Favorites")).toBe("clock"));
    fireEvent.click(screen.getByRole("button", { name: "Star" }));
    await waitFor(() => expect(read("Problem")).toBe("Couldn't star echo: the catalog is full"));
    expect(read("Report")).toBe("Couldn't star echo: the catalog is full");
    expect(read("Favorites")).toBe("clock");
    await waitFor(() => expect(api.calls.filter(({ path }) => path === "tools.favorites")).toHaveLength(2));
    refuse = false;
    fireEvent.click(screen.getByRole("button", { name: "Star" }));
    await waitFor(() => expect(read("Favorites")).toBe("clock, echo"));
    expect(read("Problem")).toBe("");
    expect(read("Report")).toBe("");
  });
});
