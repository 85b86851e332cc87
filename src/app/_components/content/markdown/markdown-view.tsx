import { type ComponentProps, memo, type ReactNode, useId } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { parseWebAddress } from "@/app/_components/content/markdown/web-address";
import { cx } from "@/app/_ui/class-names";
import { CopyButton } from "@/app/_ui/copy-button";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { closeMarkdown, splitMarkdown } from "./markdown-blocks";

const PLUGINS = [remarkGfm];

/** Allows only web addresses; others, above all `javascript:`, are not links. */
const safeAddress = (url: string): string => parseWebAddress(url)?.href ?? "";

type Align = "left" | "center" | "right";
const ALIGN: Record<Align, string> = { left: "text-left", center: "text-center", right: "text-right" };

/** The reader gives alignment as a style, which the content security policy refuses in the server's HTML. */
function alignClass(style: ComponentProps<"td">["style"]): string {
  const align = style?.textAlign;
  return align === "center" || align === "right" ? ALIGN[align] : ALIGN.left;
}

function Heading({ children }: { children?: ReactNode }) {
  // A paragraph: an answer must not upset the headings of the page it stands in.
  return (
    <p dir="auto" className="mt-3 mb-1.5 font-semibold first:mt-0">
      {children}
    </p>
  );
}

function toText(node: ReactNode): string {
  if (typeof node === "string" || typeof node === "number") return String(node);
  if (Array.isArray(node)) return node.map(toText).join("");
  if (node !== null && typeof node === "object" && "props" in node) {
    return toText((node.props as { children?: ReactNode }).children);
  }
  return "";
}

const COMPONENTS: Components = {
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  p: ({ children }) => (
    <p dir="auto" className="my-1.5 first:mt-0 last:mb-0">
      {children}
    </p>
  ),
  ul: ({ children }) => (
    <ul dir="auto" className="my-1.5 list-disc ps-5">
      {children}
    </ul>
  ),
  ol: ({ children, start }) => (
    <ol start={start} dir="auto" className="my-1.5 list-decimal ps-5">
      {children}
    </ol>
  ),
  li: ({ children }) => (
    <li dir="auto" className="my-0.5">
      {children}
    </li>
  ),
  blockquote: ({ children }) => (
    <blockquote dir="auto" className="my-1.5 border-line2 border-s-2 ps-3 text-mute">
      {children}
    </blockquote>
  ),
  hr: () => <hr className="my-3 border-line" />,
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href} className="text-accent underline">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  // A picture is shown as a link, so that nothing is loaded from another host.
  img: ({ src, alt }) =>
    typeof src === "string" && src !== "" ? (
      <a href={src} target="_blank" rel="noopener noreferrer nofollow" title={src} className="text-accent underline">
        Image: {alt || src}
      </a>
    ) : (
      <span className="text-mute">Image: {alt || "without an address"}</span>
    ),
  code: ({ children }) => (
    <code className="rounded-xs bg-line px-1 py-px font-mono text-xs [overflow-wrap:anywhere] in-[pre]:bg-transparent in-[pre]:p-0">
      {children}
    </code>
  ),
  pre: ({ children }) => (
    <div className="relative my-2">
      <ScrollRegion label="Code" className="max-h-120 rounded-lg border border-line bg-bg">
        <pre dir="ltr" className="p-2.5 pr-10 font-mono text-xs leading-5">
          {children}
        </pre>
      </ScrollRegion>
      <CopyButton text={toText(children)} label="Copy code" className="absolute top-1 right-1 bg-bg" />
    </div>
  ),
  table: ({ children }) => (
    <ScrollRegion label="Table" className="my-2 rounded-lg border border-line">
      <table className="w-full border-collapse text-xs">{children}</table>
    </ScrollRegion>
  ),
  th: ({ children, style }) => (
    <th dir="auto" className={cx("border-line border-b bg-bg px-2 py-1 font-medium", alignClass(style))}>
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td dir="auto" className={cx("border-line border-b px-2 py-1", alignClass(style))}>
      {children}
    </td>
  ),
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? "done" : "to do"} className="mr-1 font-mono">
      {checked ? "☑" : "☐"}
    </span>
  ),
};

const Block = memo(function Block({ text }: { text: string }) {
  const prefix = useId();
  return (
    <Markdown
      remarkPlugins={PLUGINS}
      remarkRehypeOptions={{ clobberPrefix: prefix }}
      urlTransform={safeAddress}
      components={COMPONENTS}
    >
      {text}
    </Markdown>
  );
});

/** Shows a model's text. Raw HTML in it is text; `growing`: more of it is coming. */
export function MarkdownView({ text, growing }: { text: string; growing: boolean }) {
  if (!growing) return <Block text={text} />;
  const blocks = splitMarkdown(text);
  return blocks.map((block, at) => (
    // Text only grows at its end: a piece keeps its place.
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece has nothing else that tells it apart
    <Block key={at} text={at === blocks.length - 1 ? closeMarkdown(block) : block} />
  ));
}
