// The examples of docs/guide/typescript.md that need a model, for the compiler to read, each a file of its own:
//   node page.mjs FOLDER PACKAGE...   those that import one of these packages
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder, ...packages] = process.argv.slice(2);
const page = readFileSync(join(process.env.MEMORY_SEARCH_REPO, "docs/guide/typescript.md"), "utf-8");
const blocks = [...page.matchAll(/<!-- not run[^>]*-->\n\n```typescript\n([^]*?)^```$/gm)].map((found) => found[1]);
for (const name of packages) {
  const found = blocks.filter((block) => block.includes(`from "${name}"`));
  if (found.length !== 1) throw new Error(`${found.length} examples of the page import ${name}, which should be one`);
  writeFileSync(join(folder, `page_${name.split("/").at(-1)}.ts`), `${found[0]}export {};\n`);
}
