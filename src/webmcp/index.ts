/**
 * threepass/webmcp: the page's WebMCP tools as client tools, and the dispatcher's tools for agents in the
 * browser. Where a browser has no WebMCP both do nothing and say so.
 * @module
 */
export { type Bridge, type BridgeOptions, bridgeModelContext } from './bridge.ts'
export {
  findModelContext,
  type ListedTool,
  type ModelContext,
  type ModelContextAnnotations,
  type ModelContextTool,
} from './model-context.ts'
export { type Offer, type OfferOptions, offerTools } from './offer.ts'
