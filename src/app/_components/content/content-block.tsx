import type { ReactNode } from "react";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { Badge } from "@/app/_ui/badge";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { formatBytes } from "@/lib/format";
import { ContentText } from "./content-text";
import { MediaView } from "./media-view";
import type { Media } from "./read-media";
import type { AnswerBlock, BlockAnnotations, ResourceLink } from "./result-content";
import { WebLink } from "./web-link";

interface ContentBlockViewProps {
  block: AnswerBlock;
  /** Names the block for users who do not see the order: `Block 2`. */
  name: string;
  verbatim?: boolean;
}

/** One block of an answer, by its kind. */
export function ContentBlockView({ block, name, verbatim = false }: ContentBlockViewProps) {
  const Text = verbatim ? ClippedText : ContentText;
  switch (block.kind) {
    case "text":
      return (
        <Frame block={block} kind="text" copy={{ text: block.text, label: `Copy text of ${name}` }}>
          <Text text={block.text} label={name} />
        </Frame>
      );
    case "media":
      return (
        <Frame block={block} kind={block.said} facts={mediaFacts(block.media)}>
          <MediaView media={block.media} label={`${name}, ${block.media.mimeType}`} />
        </Frame>
      );
    case "link":
      return (
        <Frame block={block} kind="resource link" facts={linkFacts(block.link)}>
          <LinkView link={block.link} />
        </Frame>
      );
    case "resource":
      return (
        <Frame
          block={block}
          kind="resource"
          facts={[block.mimeType]}
          copy={{ text: block.text, label: `Copy text of ${name}` }}
        >
          <ResourceName uri={block.uri} />
          <ContentText text={block.text} label={`${name}, ${block.uri ?? "resource"}`} mimeType={block.mimeType} />
        </Frame>
      );
    case "resource_media":
      return (
        <Frame block={block} kind="resource" facts={mediaFacts(block.media)}>
          <ResourceName uri={block.uri} />
          <MediaView media={block.media} label={`${name}, ${block.uri ?? block.media.mimeType}`} uri={block.uri} />
        </Frame>
      );
    case "unknown":
      return (
        <Frame block={block} kind={block.type ?? "no kind"} copy={{ text: block.text, label: `Copy JSON of ${name}` }}>
          <p className="mb-1.5 text-mute text-xs">Unknown content type, shown as received:</p>
          <JsonText text={block.text} label={name} wrap className="max-h-96" />
        </Frame>
      );
  }
}

interface FrameProps {
  block: { annotations: BlockAnnotations };
  kind: string;
  facts?: readonly (string | null)[];
  copy?: { text: string; label: string };
  children: ReactNode;
}

function Frame({ block, kind, facts = [], copy, children }: FrameProps) {
  const said = facts.filter((fact) => fact !== null).join(" · ");
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border border-line bg-bg">
      <div className="flex min-h-7 flex-wrap items-center gap-x-2 border-line border-b px-2.5 text-mute text-xs">
        <span className="max-w-48 truncate font-medium">{kind}</span>
        {said !== "" && <span className="min-w-0 font-mono text-2xs [overflow-wrap:anywhere]">{said}</span>}
        <Annotations annotations={block.annotations} />
        {copy !== undefined && <CopyButton text={copy.text} label={copy.label} className="ml-auto" />}
      </div>
      <div className="min-w-0 p-2.5">{children}</div>
    </div>
  );
}

function Annotations({ annotations: { audience, priority, lastModified } }: { annotations: BlockAnnotations }) {
  return (
    <>
      {audience.map((each) => (
        <Badge key={each} title="Intended audience" className="max-w-32 truncate">
          for {each}
        </Badge>
      ))}
      {priority !== null && <Badge title="Priority set by the author, from 0 to 1">priority {priority}</Badge>}
      {lastModified !== null && (
        <Badge title="Last change, as the author states" className="max-w-48 truncate">
          changed {lastModified}
        </Badge>
      )}
    </>
  );
}

function LinkView({ link }: { link: ResourceLink }) {
  return (
    <div className="flex min-w-0 flex-col">
      {link.name !== null && <p className="font-medium [overflow-wrap:anywhere]">{link.name}</p>}
      {link.description !== null && (
        <p dir="auto" className="whitespace-pre-line text-mute text-xs [overflow-wrap:anywhere]">
          {link.description}
        </p>
      )}
      <WebLink uri={link.uri} />
    </div>
  );
}

function ResourceName({ uri }: { uri: string | null }) {
  return uri === null ? null : <WebLink uri={uri} />;
}

function mediaFacts(media: Media): (string | null)[] {
  return [media.mimeType, media.bytes === null ? null : formatBytes(media.bytes)];
}

function linkFacts({ mimeType, size }: ResourceLink): (string | null)[] {
  return [mimeType, size === null ? null : formatBytes(size)];
}
