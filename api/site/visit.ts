import type { Request, Response } from 'express';
import { DEFAULT_SITE_DATA } from '../../core/site-data.ts';
import type { Assets, SiteView, Surroundings } from '../../web/view.ts';
import type { SiteViews } from '../services/site-views.ts';
import { wishesOf } from './reader.ts';

const A_YEAR_S = 31_536_000;

/** A request for a page, as far as it does not depend on which. */
export interface Visit {
  around: Surroundings;
  /** Everybody who comes for the first time and speaks the same language gets the same. */
  isShared: boolean;
}

export interface Visits {
  of(request: Request, response: Response): Promise<Visit>;
  /** Without asking how the site is called: what was heard last is good enough to say that something is missing. */
  known(request: Request, response: Response): Visit;
}

interface VisitOptions {
  views: SiteViews;
  publicUrl?: string;
  assets: Assets;
}

export function createVisits({ views, publicUrl, assets }: VisitOptions): Visits {
  let heard = UNNAMED;
  const visit = (request: Request, response: Response, site: SiteView): Visit => {
    const { isChosen, isAnonymous, ...reader } = wishesOf(request, queryOf(request), site);
    if (isChosen)
      response.appendHeader('Set-Cookie', `farwatch_lang=${reader.locale}; Path=/; Max-Age=${A_YEAR_S}; SameSite=Lax`);
    const published = site.url ?? publicUrl?.replace(/\/+$/, '');
    // To a browser two slashes, or backslashes, begin the name of another host.
    const path = request.path.replace(/^[/\\]+/, '/');
    const around = {
      ...{ reader, site, assets, path, query: '', now: Math.floor(Date.now() / 1000) },
      base: published ?? `${request.protocol}://${request.headers.host ?? ''}`,
      isPublished: published !== undefined,
    };
    return { around, isShared: isAnonymous && !isChosen };
  };
  return {
    async of(request, response) {
      heard = await views.site();
      return visit(request, response, heard);
    },
    known: (request, response) => visit(request, response, heard),
  };
}

const UNNAMED: SiteView = {
  ...{ name: DEFAULT_SITE_DATA.siteName, title: null, logo: null, favicon: null, description: null, footer: null },
  ...{ theme: DEFAULT_SITE_DATA.theme, timeZone: DEFAULT_SITE_DATA.timezone, language: DEFAULT_SITE_DATA.language },
  url: null,
};

export function queryOf({ originalUrl }: Request): URLSearchParams {
  return new URLSearchParams(originalUrl.split('?').slice(1).join('?'));
}
