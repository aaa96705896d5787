/** Measured figures of a test run: printed for who reads along, never asserted more tightly than a loaded machine allows. */
export function printFigure(what: string, value: number, unit = 'ms'): void {
  process.stdout.write(`figure: ${what}: ${value.toFixed(unit === 'MB' || value < 10 ? 1 : 0)} ${unit}\n`);
}
