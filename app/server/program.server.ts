export async function runProgram(_argv: string[]): Promise<void> {
  process.stdout.write("not yet\n");
}
