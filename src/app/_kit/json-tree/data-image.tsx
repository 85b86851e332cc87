import Image from "next/image";

/** A picture that is part of a value; it needs no request. */
export function DataImage({ url, alt }: { url: string; alt: string }) {
  return (
    <Image
      unoptimized
      src={url}
      alt={alt}
      width={480}
      height={320}
      className="mt-2 h-auto max-h-80 w-auto max-w-full border border-line"
    />
  );
}
