/** Formats rows of cells as lines with aligned columns: those of `isLeft` to the left, the others to the right. */
export function alignColumns(rows: string[][], isLeft: (column: number) => boolean): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const align = (cell: string, column: number) =>
    isLeft(column) ? cell.padEnd(widthOf(column)) : cell.padStart(widthOf(column));
  return rows.map((row) => row.map(align).join("  ").trimEnd());
}
