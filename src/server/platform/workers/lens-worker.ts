// Projects large results, and evaluates expressions whose cost nothing bounds.
import { compileLens, project, readData } from "./lens-evaluator";
import { serveJobs } from "./serve-jobs";

interface LensJob {
  expression: string;
  resultText: string;
  fromServer: boolean;
}

serveJobs(({ expression, resultText, fromServer }: LensJob) => {
  const data = readData(JSON.parse(resultText), fromServer);
  return data === undefined ? { none: true } : project(compileLens(expression), data, resultText, fromServer);
});
