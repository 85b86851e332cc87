// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { findViolations } from "@/app/_kit/axe.test-support";
import { MarkdownView } from "./markdown-view";

const HOSTILE = [
  '<img src="https://evil.example/x.png" onerror="alert(1)"><script>alert(1)</script>',
  "![pixel](https://evil.example/pixel.png)",
  "[click](javascript:alert(1)) [data](data:text/html,x) [mail](mailto:a@b.c)",
  "[ok](https://example.com/a) https://example.com/b",
].join("\n\n");

describe("what a model wrote", () => {
  it("shows raw HTML as text, loads no picture, and links to the web alone", () => {
    const { container } = render(<MarkdownView text={HOSTILE} growing={false} />);
    expect(container.querySelectorAll("img, script, iframe")).toHaveLength(0);
    expect(container.textContent).toContain("<script>alert(1)</script>");
    const links = [...container.querySelectorAll("a")];
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "https://evil.example/pixel.png",
      "https://example.com/a",
      "https://example.com/b",
    ]);
    for (const link of links) {
      expect(link.getAttribute("rel")).toContain("noopener");
      expect(link.getAttribute("target")).toBe("_blank");
    }
  });

  it("writes no style into the server's HTML, tables with aligned columns included", () => {
    const html = renderToStaticMarkup(
      <MarkdownView text={"| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] done\n\n```js\n1\n```"} growing={false} />,
    );
    expect(html).toContain("<table");
    expect(html).toContain("text-right");
    expect(html).not.toContain("style=");
  });

  it("shows the same whether it grows or is whole, and axe finds nothing", async () => {
    const text = "# Title\n\nSome **bold** text.\n\n1. one\n2. two\n\n```\ncode\n```\n\n| a |\n|---|\n| 1 |";
    const whole = render(<MarkdownView text={text} growing={false} />).container.textContent;
    cleanup();
    const growing = render(<MarkdownView text={text} growing />).container.textContent;
    const plain = (shown: string | null) => (shown ?? "").replaceAll(/\s+/g, "");
    expect(plain(growing)).toBe(plain(whole));
    expect(screen.getByRole("table")).toBeTruthy();
    expect(screen.queryByRole("heading")).toBeNull();
    expect(await findViolations()).toEqual([]);
  });
});
