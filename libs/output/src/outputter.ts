/** What every outputter is: a value to text, without a last line end. It knows neither files nor terminals. */
import type { Value } from '@natrium/model';

export interface OutputOptions {
  /** Blanks per level where the format has levels; negative: everything on one line. */
  readonly indent?: number;
  readonly color: boolean;
  /** The worst of what is shown; `nested` paints a failure red. */
  readonly retcode?: number;
}

export type Outputter = (value: Value, options: OutputOptions) => string;
