export interface DateChoice {
  /** Accessible name of the box and of its text field. */
  label: string;
  by: "day" | "instant";
  /** Epoch milliseconds; of a day any instant. */
  value: number | null;
  onPick: (value: number | null) => void;
  /** The instant of a day that is picked or typed without a time. */
  edge?: "start" | "end";
  min?: number | null;
  max?: number | null;
  /** An empty date is a valid choice. */
  clearable?: boolean;
}
