"use client";

import NextLink from "next/link";
import { useRouter } from "next/navigation";
import type { ComponentProps } from "react";
import type { Permission } from "@/lib/contract/access";
import { useDenial, useReportDenial } from "./access";
import { cx } from "./class-names";

export type LinkProps = Omit<ComponentProps<typeof NextLink>, "href" | "prefetch"> & {
  href: string;
  /** For a page that only serves a change: without this permission the link leads nowhere and says which role has it. */
  needs?: Permission;
};

/** Prefetches on hover, touch or focus: Next's own link requests every page that a link in view leads to. */
export function Link({ onPointerEnter, onFocus, needs, ...native }: LinkProps) {
  const router = useRouter();
  const denial = useDenial(needs);
  const reportDenial = useReportDenial();
  if (denial !== null) {
    return (
      <a
        role="link"
        tabIndex={0}
        aria-disabled
        aria-description={denial}
        title={denial}
        // biome-ignore lint/a11y/useValidAnchor: it leads nowhere, and has to be reachable to say why
        onClick={() => reportDenial(denial)}
        onKeyDown={(event) => event.key === "Enter" && reportDenial(denial)}
        className={cx(native.className, "aria-disabled:cursor-not-allowed aria-disabled:opacity-45")}
      >
        {native.children}
      </a>
    );
  }
  return (
    <NextLink
      {...native}
      prefetch={false}
      onPointerEnter={(event) => {
        onPointerEnter?.(event);
        router.prefetch(native.href);
      }}
      onFocus={(event) => {
        onFocus?.(event);
        router.prefetch(native.href);
      }}
    />
  );
}
