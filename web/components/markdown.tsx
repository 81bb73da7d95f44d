import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });

/** What users write may have these; a heading of theirs must not tear up the page's outline. */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: ['p', 'br', 'strong', 'em', 's', 'a', 'ul', 'ol', 'li', 'code', 'pre', 'blockquote', 'hr'],
  allowedAttributes: { a: ['href', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  transformTags: {
    a: sanitizeHtml.simpleTransform('a', { rel: 'nofollow noopener' }),
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag) => [tag, 'p'])),
  },
};

/** A user's Markdown as safe HTML: raw HTML is shown as text, links lead to the web or to mail, images stay away. */
export function Markdown({ text }: { text: string }) {
  const html = sanitizeHtml(markdown.render(text), ALLOWED);
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
