/** `yaml`: block style, keys sorted as text, lists not indented, long lines not folded. A negative indent gives flow style. */
import { Float, isList, isMap, pyRepr, type Value } from '@natrium/model';
import {
  DEFAULT_SCALAR_STYLE_RULES,
  DUMP_SCHEMA,
  defineScalarTag,
  dump,
  floatCoreTag,
  floatYaml11Tag,
  intCoreTag,
  intYaml11Tag,
  NOT_RESOLVED,
  SCALAR_STYLE,
  type ScalarStyleRule,
} from 'js-yaml';
import { byCodePoint } from './by-code-point.js';
import { escaped } from './json.js';
import { REORDERS } from './lines.js';
import type { Outputter } from './outputter.js';

/** Number tags that also know `Float` and `bigint`; `resolve` only tells the dumper which texts need quotes. */
const floatTag = defineScalarTag<unknown>('tag:yaml.org,2002:float', {
  implicit: true,
  resolve: (source, explicit, name) =>
    either(floatCoreTag.resolve(source, explicit, name), floatYaml11Tag.resolve(source, explicit, name)),
  identify: (data: unknown) => data instanceof Float || (typeof data === 'number' && !Number.isSafeInteger(data)),
  represent: (data: Float | number) => FLOAT_WORDS[pyRepr(data)] ?? withPoint(pyRepr(data)),
});
const intTag = defineScalarTag<unknown>('tag:yaml.org,2002:int', {
  implicit: true,
  resolve: (source, explicit, name) =>
    // At the beginning of a line it would divide documents.
    DIVIDES.test(source)
      ? source
      : either(intCoreTag.resolve(source, explicit, name), intYaml11Tag.resolve(source, explicit, name)),
  identify: (data: unknown) => typeof data === 'bigint' || Number.isSafeInteger(data),
});
const FLOAT_WORDS: Readonly<Record<string, string>> = { nan: '.nan', inf: '.inf', '-inf': '-.inf' };
const DIVIDES = /^(?:---|\.\.\.)(?:\s|$)/;
const SCHEMA = DUMP_SCHEMA.withTags(intTag, floatTag);

/** What would be lost when the blanks at the end of a document are cut off. */
const BLANK_END = /[^\S\n]\n*$|\n\n$/;
const INDENTED_BEGIN = /^\n* /;

/** Quotes what is YAML already, but reads as something else with PyYAML, without the blanks at its end, or on a terminal. */
const quoteFragile: ScalarStyleRule = (layout) => {
  const text = layout.node.value;
  const lost = BLANK_END.test(text);
  if (new RegExp(REORDERS).test(text)) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
  else if (layout.style === SCALAR_STYLE.PLAIN) {
    if (lost || (layout.flowOnly && /^:|\?/.test(text))) layout.style = SCALAR_STYLE.SINGLE_QUOTED;
  } else if (layout.style === SCALAR_STYLE.LITERAL_BLOCK) {
    // PyYAML counts the indentation of a document's own block from another column.
    if (lost || (layout.parent === null && INDENTED_BEGIN.test(text))) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
  }
};
const STYLE_RULES = [...Object.values(DEFAULT_SCALAR_STYLE_RULES), quoteFragile];

export const yaml: Outputter = (value, { indent = 2 }) => {
  const text = dump(plainMaps(value), {
    schema: SCHEMA,
    scalarStyleRules: STYLE_RULES,
    sortKeys: byCodePoint,
    noRefs: true,
    seqNoIndent: true,
    lineWidth: -1,
    indent: Math.max(indent, 1),
    flowLevel: indent < 0 ? 0 : -1,
  });
  // Whatever holds them is in double quotes.
  return escaped(text.replace(/\n$/, ''), new RegExp(REORDERS, 'g'));
};

/** Without its point YAML 1.1 reads it as a text. */
function withPoint(text: string): string {
  return text.includes('.') ? text : text.replace('e', '.0e');
}

function either(one: unknown, other: unknown): unknown {
  return one === NOT_RESOLVED ? other : one;
}

/** Maps without a prototype would not be recognised by the dumper. */
function plainMaps(value: Value): unknown {
  if (isList(value)) return value.map(plainMaps);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainMaps(item)]));
}
