/** Prices of single calls are small: up to six digits, and always cents. */
export const formatDollars = (amount: number): string =>
  `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
