// @vitest-environment happy-dom
import { render, screen } from "@testing-library/react";
import { renderToString } from "react-dom/server";
import { expect, it } from "vitest";
import { DiffView } from "./diff-view";

const records = (count: number, first: number) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ index: index + first, text: "the same" })));

it("long texts are compared in the browser, and never on the server, whose thread that would block", () => {
  const short = renderToString(<DiffView label="Result" left={records(10, 0)} right={records(10, 1)} />);
  expect(short).toContain("1 added");
  const long = <DiffView label="Result" left={records(400, 0)} right={records(400, 1)} />;
  expect(renderToString(long)).toContain("Comparing…");
  render(long);
  expect(screen.getByText(/1 added/)).toBeTruthy();
});
