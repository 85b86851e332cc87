"use client";

import NextLink from "next/link";
import { useRouter } from "next/navigation";
import type { ComponentProps } from "react";

export type LinkProps = Omit<ComponentProps<typeof NextLink>, "href" | "prefetch"> & { href: string };

/** Prefetches on hover, touch or focus: Next's own link requests every page that a link in view leads to. */
export function Link({ onPointerEnter, onFocus, ...native }: LinkProps) {
  const router = useRouter();
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
