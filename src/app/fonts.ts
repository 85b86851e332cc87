import localFont from "next/font/local";

// The same on every machine: one variable font for text and one for code, Latin letters, 89 kB together.
const text = localFont({
  src: "../../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-text",
});
const code = localFont({
  src: "../../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
  weight: "100 800",
  variable: "--font-code",
  // Its letters are as wide as those of the monospaced fonts that stand in for it; Arial's are not.
  adjustFontFallback: false,
});

/** For the root element: the fonts that `--font-sans` and `--font-mono` name first. */
export const FONT_CLASSES = `${text.variable} ${code.variable}`;
