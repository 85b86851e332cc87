import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { SearchParams } from "nuqs/server";
import { decodeSegment } from "./decode-segment";

/** The props from Next for a page whose address names its subject. */
export interface NamedPageProps {
  params: Promise<{ name: string }>;
  searchParams: Promise<SearchParams>;
}

/** The title of such a page: the name first. */
export const titleByName =
  (section: string, before = "") =>
  async ({ params }: NamedPageProps): Promise<Metadata> => ({
    title: `${before}${decodeSegment((await params).name) ?? "Not found"} · ${section}`,
  });

/** The name in the address; ends in the not-found page where it cannot be decoded. */
export async function readName({ params }: NamedPageProps): Promise<string> {
  return decodeSegment((await params).name) ?? notFound();
}
