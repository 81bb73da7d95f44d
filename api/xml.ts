/** XML 1.0 out of elements and texts: what comes out is well-formed whatever the texts are. */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly (XmlElement | string)[];
}

/** An element; its name and the names of its attributes are the program's own, never a user's. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: (XmlElement | string)[]
): XmlElement {
  return { name, attributes, children };
}

/** The element as text. What XML has no character for becomes U+FFFD. */
export function writeXml({ name, attributes, children }: XmlElement): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const inner = children.map((child) => (typeof child === 'string' ? escapeXml(child) : writeXml(child)));
  return `<${name}${pairs.join('')}${inner.length > 0 ? `>${inner.join('')}</${name}>` : '/>'}`;
}

const ENTITIES: Partial<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** The characters of XML 1.0, 2.2; carriage returns would be read as line feeds. */
const NOT_XML = /[^\t\n\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** A text as it stands between tags or quotes, of XML and of HTML. */
export function escapeXml(text: string): string {
  return text.replace(NOT_XML, '\u{FFFD}').replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
