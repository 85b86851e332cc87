export interface JsonEditorProps {
  value: string;
  onChange: (value: string) => void;
  /** Accessible name. */
  label: string;
  invalid?: boolean;
  minLines?: number;
  /** Id of the text that says what is wrong. */
  describedBy?: string;
}
