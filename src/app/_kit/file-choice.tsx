import { FileUp, type LucideIcon } from "lucide-react";
import { buttonClass } from "@/app/_ui/button";

interface FilesChoiceProps {
  label: string;
  icon?: LucideIcon;
  /** File name extensions and media types; absent: any. */
  accept?: string;
  /** One file, several, or all files of a folder. */
  of?: "one" | "several" | "folder";
  onFiles: (files: File[]) => void;
}

/** A button that lets the user choose files of their computer. */
export function FilesChoice({ label, icon: Icon = FileUp, accept, of = "one", onFiles }: FilesChoiceProps) {
  return (
    <label
      className={`${buttonClass()} cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-1`}
    >
      <Icon size={13} />
      {label}
      <input
        type="file"
        accept={accept}
        multiple={of !== "one"}
        // React passes the attribute on for a value that is no boolean.
        {...(of === "folder" && { webkitdirectory: "" })}
        className="sr-only"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = "";
          if (files.length > 0) onFiles(files);
        }}
      />
    </label>
  );
}

interface FileChoiceProps {
  /** File name extensions and media types. */
  accept: string;
  label?: string;
  onText: (text: string, fileName: string) => void;
}

/** The browser reads the file and sends it nowhere. */
export function FileChoice({ accept, label = "Open a file", onText }: FileChoiceProps) {
  return (
    <FilesChoice
      label={label}
      accept={accept}
      onFiles={([file]) => {
        file?.text().then(
          (text) => onText(text, file.name),
          () => undefined,
        );
      }}
    />
  );
}
