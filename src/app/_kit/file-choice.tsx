import { FileUp } from "lucide-react";
import { buttonClass } from "@/app/_ui/button";

interface FileChoiceProps {
  /** File name extensions and media types. */
  accept: string;
  label?: string;
  onText: (text: string, fileName: string) => void;
}

/** The file is read here and nowhere else. */
export function FileChoice({ accept, label = "Open a file", onText }: FileChoiceProps) {
  return (
    <label
      className={`${buttonClass()} cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-1`}
    >
      <FileUp size={13} />
      {label}
      <input
        type="file"
        accept={accept}
        className="sr-only"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          file?.text().then(
            (text) => onText(text, file.name),
            () => undefined,
          );
          event.target.value = "";
        }}
      />
    </label>
  );
}
